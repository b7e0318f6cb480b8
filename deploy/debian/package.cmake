# What is installed, and the Debian package of it. deploy/debian/build.sh makes the package.
include(GNUInstallDirs)
# Installing takes what was built: no tests on the way.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)

# Debian 12 looks for units below /lib, later ones below /usr/lib.
cmake_host_system_information(RESULT distribution_version QUERY DISTRIB_VERSION_ID)
set(unit_folder /lib/systemd/system)
if(distribution_version VERSION_GREATER_EQUAL 13)
  set(unit_folder ${CMAKE_INSTALL_PREFIX}/lib/systemd/system)
endif()

set(share ${CMAKE_INSTALL_DATADIR}/onceward)
set(documentation ${CMAKE_INSTALL_DATADIR}/doc/onceward)
set(made ${CMAKE_CURRENT_BINARY_DIR}/package)
set(onceward_binary ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/onceward)

install(TARGETS onceward DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES deploy/systemd/onceward.service DESTINATION ${unit_folder})
install(FILES deploy/systemd/onceward.sysusers DESTINATION ${CMAKE_INSTALL_PREFIX}/lib/sysusers.d RENAME onceward.conf)
install(FILES config/onceward.schema.json config/onceward.full.yaml DESTINATION ${share})
install(DIRECTORY config/examples DESTINATION ${share} FILES_MATCHING PATTERN "*.yaml")
install(FILES deploy/debian/copyright DESTINATION ${documentation})
install(FILES config/README.md DESTINATION ${documentation} RENAME configuration.md)
install(FILES config/clients.md DESTINATION ${documentation})

# The manual, the completions, the changelog and the configuration are made when the package is: the binary tells its commands.
install(CODE "execute_process(
  COMMAND \"${CMAKE_SOURCE_DIR}/deploy/debian/make_files.sh\" \"${onceward_binary}\" \"${made}\" ${PROJECT_VERSION}
  COMMAND_ERROR_IS_FATAL ANY)")
install(FILES ${made}/onceward.yaml DESTINATION /etc/onceward)
install(FILES ${made}/onceward.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${made}/changelog.gz DESTINATION ${documentation})
install(FILES ${made}/onceward.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME onceward)
install(FILES ${made}/onceward.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions RENAME _onceward)
install(FILES ${made}/onceward.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

set(ONCEWARD_MAINTAINER "The Onceward authors <onceward@example.org>" CACHE STRING "Maintainer of the Debian package")
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME onceward)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT ${ONCEWARD_MAINTAINER})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "HTTP proxy that executes each Idempotency-Key once")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"Onceward runs beside an HTTP service and makes its write endpoints idempotent.
A client sends Idempotency-Key; Onceward claims that key in a store, forwards
the request once, records the answer, and gives every later duplicate that same
answer. The service needs no change.
.
Records are kept in SQLite, or in a Redis that several hosts share.")
set(CPACK_SET_DESTDIR ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION web)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS adduser)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS ca-certificates)  # for an upstream by https
set(CPACK_DEBIAN_PACKAGE_SUGGESTS redis-server)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA
  ${CMAKE_SOURCE_DIR}/deploy/debian/conffiles ${CMAKE_SOURCE_DIR}/deploy/debian/postinst
  ${CMAKE_SOURCE_DIR}/deploy/debian/prerm ${CMAKE_SOURCE_DIR}/deploy/debian/postrm)
include(CPack)
