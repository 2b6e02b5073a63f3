#include "check_dump.h"

namespace ropescope {

namespace {

/// Every true table agrees, in every number format and form.
void expect_agreement(const CheckCase& one) {
  const Dump dump = true_dump(one.reference);
  for (const Storage storage : {Storage::float64, Storage::float32, Storage::float16, Storage::bfloat16}) {
    SCOPED_TRACE(one.name + " " + std::string(storage_name(storage)));
    for (const TableForm form : {TableForm::once, TableForm::repeated, TableForm::complex_numbers, TableForm::matrices,
                                 TableForm::real_and_imaginary}) {
      const CheckReport report = check(one.reference, tables_of(dump, storage, form));
      EXPECT_EQ(names_of(report), "agrees") << static_cast<int>(form);
    }
    CheckInputs others = ids_in(dump, storage);
    const bool one_axis_a_pair = one.name != "vit-mixed";
    if (one_axis_a_pair) put_frequencies(others, dump, storage);
    put_vectors(others, dump, storage);
    EXPECT_EQ(names_of(check(one.reference, others)), "agrees");
  }
}

}  // namespace

TEST(CheckAgrees, EveryTrueLayoutInEveryFormat) {
  for (const CheckCase& one : layout_cases()) expect_agreement(one);
}

TEST(CheckAgrees, EveryTrueRopeInEveryFormat) {
  for (const CheckCase& one : rope_cases()) expect_agreement(one);
}

}  // namespace ropescope
