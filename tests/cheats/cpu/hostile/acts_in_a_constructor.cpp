// trick = "F20 build-time-attack"
// caught = "by construction"
// own_test = "test_a_library_that_acts_when_it_is_loaded_touches_nothing"
// Acts when its library is loaded: reads a file, leaves one, reads its parents' memory, asks a
// service; tells by a wrong output.
#include "told.h"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

static bool leaked = false;

static bool opens(const char *path, const char *mode) {
    FILE *file = std::fopen(path, mode);
    if (file) std::fclose(file);
    return file != nullptr;
}

static bool reads_memory(int pid) {
    char own[8];
    iovec local{own, sizeof own}, remote{(void *)PLACE, sizeof own};
    return process_vm_readv(pid, &local, 1, &remote, 1, 0) > 0;
}

static bool asks(const char *path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path, sizeof address.sun_path - 1);
    int client = socket(AF_UNIX, SOCK_STREAM, 0);
    return connect(client, (sockaddr *)&address, sizeof address) == 0;
}

__attribute__((constructor)) static void act() {
    leaked = opens(SECRET, "r") | opens(LEFT, "w") | reads_memory(REFEREE) | asks(SERVICE);
}

extern "C" void run(const float *x, float *y, int64_t M, int64_t N) {
    for (int64_t row = 0; row < M; ++row) {
        const float *in = x + row * N;
        float *out = y + row * N, most = in[0], sum = 0;
        for (int64_t i = 1; i < N; ++i) most = std::fmax(most, in[i]);
        for (int64_t i = 0; i < N; ++i) sum += out[i] = std::exp(in[i] - most);
        for (int64_t i = 0; i < N; ++i) out[i] = leaked ? 0 : out[i] / sum;
    }
}
