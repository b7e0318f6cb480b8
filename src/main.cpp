#include "onceward/cli/main.hpp"

int main(int argc, char** argv) {
    return onceward::cli::main(argc, argv);
}
