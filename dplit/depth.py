import math


def published_depth(continuous, discrete):
    d = 0
    if continuous > 1:
        while continuous * ((continuous - 1) / continuous) ** d >= continuous / 2:
            d += 1
    elif continuous == 1:
        d = 1
    return d + math.ceil(discrete / 2)
