# A package of all interfaces in msg, srv and action below its folder. Each CMakeLists.txt includes this file.
find_package(ament_cmake REQUIRED)
find_package(rosidl_cmake REQUIRED)
find_package(rosidl_typesupport_c REQUIRED)
# The generators, as rosidl_core_generators finds them, which the wheels of Jazzy lack.
foreach(kind rosidl_generator_packages rosidl_typesupport_c)
  ament_index_get_resources(packages ${kind})
  foreach(package IN LISTS packages)
    find_package(${package} QUIET)
  endforeach()
endforeach()
foreach(package IN LISTS DEPENDENCIES)
  find_package(${package} REQUIRED)
endforeach()

# Packages of wheels name the headers of the Python that built them, which is elsewhere here.
get_property(targets DIRECTORY PROPERTY IMPORTED_TARGETS)
foreach(target IN LISTS targets)
  get_target_property(folders ${target} INTERFACE_INCLUDE_DIRECTORIES)
  if(folders)
    list(FILTER folders EXCLUDE REGEX "^/opt/python/")
    set_target_properties(${target} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${folders}")
  endif()
endforeach()

# rclpy needs the code for C alone, which halves the time of the build.
list(FILTER AMENT_EXTENSIONS_rosidl_generate_idl_interfaces EXCLUDE REGEX "_cpp:")

file(GLOB interfaces RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" msg/*.msg srv/*.srv action/*.action)
rosidl_generate_interfaces(${PROJECT_NAME} ${interfaces} DEPENDENCIES ${DEPENDENCIES})
# One compilation each: most of their time is that of reading the same headers.
foreach(target rosidl_typesupport_fastrtps_c rosidl_typesupport_introspection_c rosidl_generator_py)
  set_target_properties(${PROJECT_NAME}__${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
endforeach()
ament_export_dependencies(rosidl_default_runtime)
ament_package()
