#include "core/decay/analysis.h"

#include "tests/test.h"

namespace ropescope {

namespace {

struct Reference {
  double x, value;
};

// Ci by its series at 60 decimal digits and more than x is large (Python's decimal), apart from the code under test.
constexpr Reference kReferences[] = {
    {1e-9, -2.01460501720448768026e+01},   {0.001, -6.33053986408059365942e+00}, {0.5, -1.77784078806612899637e-01},
    {0.6165, -7.25989980000547506999e-06}, {1, 3.37403922900968156195e-01},      {2, 4.22980828774864980879e-01},
    {3.75, -9.31029730122204385312e-02},   {4, -1.40981697886930407160e-01},     {4.25, -1.74555414131627145702e-01},
    {6.5, 1.11015195149301078986e-02},     {10, -4.54564330044553710497e-02},    {19.5, 2.88333692857548479216e-02},
    {33, 3.02574341717473105362e-02},      {60, -4.81324337744321560650e-03},    {100, -5.14882514261049209492e-03},
    {500, -9.32000814404290202353e-04},    {1000.5, 9.94677571993695048072e-04},
};

}  // namespace

TEST(CosineIntegral, IsThatOfTheSeriesAtManyDigits) {
  for (const auto& [x, value] : kReferences) EXPECT_NEAR(cosine_integral(x), value, 2e-15) << x;
}

TEST(CosineIntegral, SeriesAndFractionMeet) {
  for (const double x : {4.0, 48.0}) {
    const double below = cosine_integral(std::nextafter(x, 0)), above = cosine_integral(std::nextafter(x, 100));
    EXPECT_NEAR(below, above, 2e-15) << x;
  }
}

TEST(CosineIntegral, GrowsByTheIntegralOfCosineOverX) {
  // Simpson's rule over ln x, from below the end of the series to far beyond it.
  for (const double from : {0.01, 1.0, 3.5, 50.0}) {
    constexpr int kSteps = 4000;
    const double step = std::log(3.0) / kSteps;
    double sum = 0;
    for (int i = 0; i <= kSteps; ++i) {
      sum += (i == 0 || i == kSteps ? 1 : i % 2 == 0 ? 2 : 4) * std::cos(from * std::exp(i * step));
    }
    EXPECT_NEAR(cosine_integral(3 * from) - cosine_integral(from), sum * step / 3, 1e-10) << from;
  }
}

TEST(CosineIntegral, HasItsLimits) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(cosine_integral(0), -kInfinity);
  EXPECT_EQ(cosine_integral(kInfinity), 0);
  EXPECT_TRUE(std::isnan(cosine_integral(-1)));
  EXPECT_TRUE(std::isnan(cosine_integral(std::nan(""))));
  EXPECT_NEAR(cosine_integral(1e9), std::sin(1e9) / 1e9, 1e-17);
  EXPECT_NEAR(cosine_integral(5e-324) - std::log(5e-324), 0.57721566490153286, 1e-12);
}

}  // namespace ropescope
