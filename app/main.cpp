#include "app/commands/commands.h"

int main(int argc, char** argv) {
  return ropescope::run_command_line(argc, argv);
}
