# A furnished room: a robot begins in the west, its goal lies in the east.
from itertools import product
from random import Random

from gzscenic.model import *

workspace = Workspace(RectangularRegion(0 @ 0, 0, 9, 6))
create_room(6, 9)

ego = Robot in RectangularRegion(-3.7 @ 0, 0, 0.6, 4), facing Range(-150, -30) deg  # 0 is north
Goal in RectangularRegion(3.7 @ 0, 0, 0.6, 4)

# Furniture stands about the cells of a grid, so that few samples collide; which is where is drawn.
cells = list(product((-1.9, 0, 1.9), (-1.8, 0, 1.8)))
shuffled = Random(0)
order = Uniform(*[shuffled.sample(cells, 7) for _ in range(1000)])

def near(number):
    return (order[number][0] + Range(-0.3, 0.3)) @ (order[number][1] + Range(-0.3, 0.3))

Table at near(0), facing Range(-20, 20) deg
Shelf at near(1)
Crate at near(2)
Crate at near(3)
for number in (4, 5, 6):
    Barrel at near(number)
