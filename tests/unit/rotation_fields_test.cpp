#include "app/experiment/experiment.h"
#include "app/views/view.h"
#include "tests/said.h"

namespace ropescope {
namespace {

RotationFields at(double query, double key, bool locked) {
  RotationFields fields;
  fields.query_position = query;
  fields.key_position = key;
  fields.locked = locked;
  return fields;
}

TEST(KeepDistance, TheOtherPositionMovesAlong) {
  RotationFields edited = at(50, 3, true);
  EXPECT_TRUE(keep_distance(at(7, 3, true), edited));
  EXPECT_EQ(edited.key_position, 46);
  edited = at(7, 0, true);
  EXPECT_TRUE(keep_distance(at(7, 3, true), edited));
  EXPECT_EQ(edited.query_position, 4);
}

TEST(KeepDistance, BothStopAtTheEnds) {
  RotationFields edited = at(0, 3, true);
  EXPECT_FALSE(keep_distance(at(7, 3, true), edited));
  EXPECT_EQ(edited.query_position, 4);
  EXPECT_EQ(edited.key_position, 0);
  edited = at(7, kMaxRotationPosition, true);
  EXPECT_FALSE(keep_distance(at(7, 3, true), edited));
  EXPECT_EQ(edited.query_position, kMaxRotationPosition);
  EXPECT_EQ(edited.key_position, kMaxRotationPosition - 4);
  // Where nothing can move, nothing does.
  edited = at(9, kMaxRotationPosition, true);
  EXPECT_FALSE(keep_distance(at(0, kMaxRotationPosition, true), edited));
  EXPECT_EQ(edited.query_position, 0);
}

TEST(KeepDistance, OnlyWhileLockedAndOnlyWhereOneMoved) {
  for (const auto& [before, after] : {std::pair(at(7, 3, false), at(50, 3, false)),
                                      {at(7, 3, false), at(50, 3, true)},
                                      {at(7, 3, true), at(50, 3, false)},
                                      {at(7, 3, true), at(50, 40, true)},
                                      {at(7, 3, true), at(7, 3, true)}}) {
    RotationFields edited = after;
    EXPECT_TRUE(keep_distance(before, edited));
    EXPECT_EQ(edited, after);
  }
}

TEST(Assign, ALockedPositionTakesTheOtherAlong) {
  Experiment experiment;
  assign(experiment, "rotation.locked=true");
  assign(experiment, "rotation.query_position=107");
  EXPECT_EQ(experiment.rotation.key_position, 103);
  EXPECT_REFUSED(assign(experiment, "rotation.key_position=131072"),
                 AllOf(Says("error.set.settled", {{"key", "rotation.key_position"}, {"value", "131072"}}),
                       Says("rotation.lock", {{"most", "131072"}})));
  EXPECT_EQ(experiment.rotation.query_position, 107);
}

TEST(Assign, TheArgumentsOfALockedExperimentReproduceIt) {
  Experiment experiment;
  experiment.rotation = at(5000, 17, true);
  Experiment copy;
  for (const std::string& argument : set_arguments(experiment)) assign(copy, argument);
  EXPECT_EQ(copy, experiment);
  EXPECT_EQ(experiment_from_json(experiment_to_json(experiment), "x"), experiment);
}

}  // namespace
}  // namespace ropescope
