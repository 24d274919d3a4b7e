"""`guard.instructions`: listings counted by class."""

import pytest

from guard import instructions

NVDISASM = """\
	.section	.text.first,"ax",@progbits
first:
.text.first:
        /*0000*/                   LDC R1, c[0x0][0x28] ;
        /*0010*/              @!P0 LDG.E.128.CONSTANT R4, desc[UR4][R8.64] ;
.L_x_0:
        /*0020*/               @P1 BRA `(.L_x_0) ;
        /*0030*/                   NOP;
	.section	.text.second,"ax",@progbits
        /*0000*/                   EXIT ;
"""
CUOBJDUMP = """
		Function : first
	.headerflags	@"EF_CUDA_SM90"
        /*0000*/                   LDC R1, c[0x0][0x28] ;   /* 0x00000a00ff017b82 */
                                                            /* 0x000fe20000000800 */
        /*0010*/              @!P0 LDG.E.128.CONSTANT R4, desc[UR4][R8.64] ;
        /*0020*/               @P1 BRA 0x0020 ;
		Function : second
        /*0000*/                   EXIT ;
"""


@pytest.mark.parametrize("text", [NVDISASM, CUOBJDUMP], ids=["nvdisasm", "cuobjdump"])
def test_kernels_are_told_apart_and_padding_is_left_out(text):
    first, second = instructions.sass(text)
    assert (first.kernel, first.total, second.kernel, second.total) == ("first", 3, "second", 1)
    assert first.classes == {"global loads": 1, "global loads 128": 1}


@pytest.mark.parametrize(
    ("opcode", "classes"),
    [
        ("HGMMA.64x128x16.F32.BF16", {"tensor core"}),
        ("HMMA.16816.F32", {"tensor core"}),
        ("QGMMA.64x64x32.F32.E4M3.E4M3", {"tensor core"}),
        ("IMMA.16832.S8.S8", {"tensor core"}),
        ("DMMA.884", {"tensor core"}),
        ("UTCHMMA", {"tensor core"}),
        ("FFMA.FTZ", {"ffma"}),
        ("MUFU.EX2", {"mufu"}),
        ("LDG.E", {"global loads", "global loads 32"}),
        ("LDG.E.U8", {"global loads", "global loads 32"}),
        ("LDG.E.64.STRONG.GPU", {"global loads", "global loads 64"}),
        ("STG.E.128", {"global stores", "global stores 128"}),
        ("LDS.128", {"shared loads", "shared loads 128"}),
        ("LDSM.16.MT88.4", {"shared loads", "shared loads matrix"}),
        ("STS", {"shared stores", "shared stores 32"}),
        ("LDL.LU", {"local loads"}),
        ("STL.64", {"local stores"}),
        ("BAR.SYNC.DEFER_BLOCKING", {"barriers"}),
        ("SYNCS.ARRIVE.TRANS64", {"mbarriers"}),
        ("UBLKCP.S.G", {"tma"}),
        ("UTMALDG.2D", {"tma"}),
        ("LDGSTS.E.BYPASS.128", {"async copies"}),
        ("SHFL.BFLY", {"shuffles"}),
        ("REDG.E.ADD.F32", {"atomics"}),
        ("IMAD.WIDE.U32", set()),
        ("LDC.64", set()),
    ],
)
def test_an_instruction_of_a_gpu_belongs_to(opcode, classes):
    (found,) = instructions.sass(f"\t.section\t.text.k,\n  /*0000*/  @P0 {opcode} R1, R2 ;")
    assert (found.total, set(found.classes)) == (1, classes)


@pytest.mark.parametrize(
    ("line", "classes"),
    [
        ("vfmadd132ps (%r9,%rcx,1),%zmm1,%zmm0", {"zmm", "fma"}),
        ("vfmadd132ss (%rdi,%rdx,4),%xmm1,%xmm0", {"scalar float", "fma"}),
        ("vfnmadd231pd %ymm1,%ymm2,%ymm3", {"ymm", "fma"}),
        ("vmulps %ymm1,%ymm2,%ymm0", {"ymm"}),
        ("mulsd  %xmm1,%xmm0", {"scalar float"}),
        ("movaps %xmm1,%xmm0", {"xmm"}),
        ("vbroadcastss 0xdec(%rip),%zmm2        # 2000 <_fini+0xbe0>", {"zmm"}),
        ("vpdpbusd %ymm1,%ymm2,%ymm0", {"ymm"}),
        ("vextractf64x4 $0x1,%zmm1,%ymm0", {"zmm"}),
        ("vgatherdps (%rax,%zmm1,4),%zmm0{%k1}", {"zmm", "gathers"}),
        ("vscatterdps %zmm0,(%rax,%zmm1,4){%k1}", {"zmm", "scatters"}),
        ("vdivps %zmm1,%zmm2,%zmm3", {"zmm", "divisions and roots"}),
        ("vmovntps %zmm0,(%rdi)", {"zmm", "streaming stores"}),
        ("prefetcht0 0x40(%rdi)", {"prefetches"}),
        ("tdpbf16ps %tmm2,%tmm1,%tmm0", {"matrix tiles"}),
        ("vmovaps %ymm0,-0x40(%rbp)", {"ymm", "stack stores"}),
        ("mov    %rax,0x8(%rsp)", {"stack stores"}),
        ("vmovaps -0x40(%rbp),%ymm0", {"ymm"}),
        ("call   1030 <expf@plt>", {"calls", "scalar math calls"}),
        ("call   expf@PLT", {"calls", "scalar math calls"}),
        ("call   1030 <_ZGVdN8v_expf@plt>", {"calls", "vector math calls"}),
        ("call   1030 <explode@plt>", {"calls"}),
        ("call   *%rax", {"calls"}),
        ("add    $0x40,%rax        # 2000 <_fini+0xbe0>", set()),
    ],
)
@pytest.mark.parametrize(
    "form", ["0000000000001140 <run>:\n    1140:\t{}", "run:\n\t{}"], ids=["objdump", "-S"]
)
def test_an_instruction_of_a_cpu_belongs_to(form, line, classes):
    (found,) = instructions.x86(form.format(line))
    assert (found.kernel, found.total, set(found.classes)) == ("run", 1, classes)


def test_what_the_linker_adds_and_directives_are_no_instructions():
    text = "run:\n\t.cfi_startproc\n.L2:\n\tret\n0000000000001080 <_init>:\n  1080:\tret\n"
    (found,) = instructions.x86(text)
    assert (found.kernel, found.total) == ("run", 1)


@pytest.mark.parametrize("count", [instructions.sass, instructions.x86], ids=["sass", "x86"])
@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="nothing"),
        pytest.param("\0\x1b[2J" * 1000, id="control characters"),
        pytest.param("(" * 10**6, id="one endless line"),
        pytest.param("<" * 10**5 + "\n" + " " * 10**5, id="half a label"),
    ],
)
def test_what_is_no_listing_counts_as_nothing(count, text):
    assert count(text) == ()


def test_no_more_kernels_are_counted_than_a_report_may_hold():
    many = "".join(f"f{n}:\n\tret\n" for n in range(2 * instructions.MAX_KERNELS))
    found = instructions.x86(many)
    assert len(found) == instructions.MAX_KERNELS
    assert {each.total for each in found} == {1}
