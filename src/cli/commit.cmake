# Writes the commit that is being built into OUTPUT; an unchanged one leaves the file alone, so nothing is linked again.
# ONCEWARD_COMMIT says it where there is no repository, as in an image's build.
cmake_minimum_required(VERSION 3.25)

set(commit "${ONCEWARD_COMMIT}")
if(NOT commit)
  execute_process(
    COMMAND git rev-parse --short=12 HEAD
    WORKING_DIRECTORY ${SOURCE} OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(NOT commit)
  set(commit unknown)
endif()
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT "#pragma once

namespace onceward::cli {

inline constexpr const char* commit = \"@commit@\";

}  // namespace onceward::cli
")
