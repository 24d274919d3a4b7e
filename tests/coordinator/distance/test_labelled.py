"""The labelled pairs themselves: readable, balanced, in every language."""

from collections import Counter

from tests.coordinator.distance.labelled import PAIRS, Pair, pairs

LEAST = 30


def folders() -> dict[str, list[Pair]]:
    found: dict[str, list[Pair]] = {}
    for pair in pairs():
        found.setdefault(pair.folder, []).append(pair)
    return found


def test_every_folder_holds_enough_pairs_of_both_labels_in_every_language():
    for name, of_folder in folders().items():
        labels = Counter(pair.label for pair in of_folder)
        languages = {side.language for pair in of_folder for side in pair.solutions()}

        assert len(of_folder) >= LEAST, name
        assert min(labels["same"], labels["different"]) >= len(of_folder) / 3, name
        assert {"cpp", "triton", "pytorch"} < languages, name
        assert languages & {"cuda", "cuda_cpp"}, name


def test_no_pair_is_listed_twice_and_no_source_is_left_over():
    suffixes = (".cpp", ".cu", ".py")
    for name, of_folder in folders().items():
        keys = [frozenset((pair.left, pair.right)) for pair in of_folder]
        files = [path for path in (PAIRS / name).rglob("*") if path.suffix in suffixes]

        assert len(set(keys)) == len(keys)
        assert {side for key in keys for side in key} == {
            path.relative_to(PAIRS / name).as_posix() for path in files
        }
