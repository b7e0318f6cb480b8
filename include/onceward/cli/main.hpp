#pragma once

namespace onceward::cli {

/// The command line (spec section 8). Gives the process's exit code: 0 fine, 1 failed while running, 2 bad usage or
/// configuration. A wrong command line starts nothing.
int main(int argc, char** argv);

}  // namespace onceward::cli
