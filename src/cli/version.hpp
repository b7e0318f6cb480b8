#pragma once

#include <string>

namespace onceward::cli {

/// Version, commit, build, and the libraries: as linked at run time where they can tell, else as built against.
std::string version_text();

}  // namespace onceward::cli
