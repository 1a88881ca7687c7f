# The yard of the task as a scenario: the same places, for `deepsim scenes falsify`.
workspace = Workspace(RectangularRegion(0 @ 0, 0, 12, 9))

ego = Robot at -4 @ Range(-2, 2), facing -90 deg + Range(-1, 1)  # 0 is north
Goal at 4 @ Range(-2, 2), facing 0
for row in range(5):
    y = -3.6 + 1.6 * row
    Post at (-1.4 + Range(-0.4, 0.4)) @ (y + Range(-0.4, 0.4))
for row in range(5):
    y = -2.8 + 1.6 * row
    Post at (0.8 + Range(-0.4, 0.4)) @ (y + Range(-0.4, 0.4))
