/* SPDX-License-Identifier: Apache-2.0
   What the formulas in C are made of, beside operators and the C library. */
#include <Python.h>
#include <math.h>
#include <numpy/npy_common.h>

/* Of a value: 1, or 0 when the Python formula has to answer, with an error or not. */
typedef int (*Scalar)(const double *in, double *out);

/* Of rows: the number of rows, or the index of a row of zero length. `steps` and `step` count
   doubles from one row to the next; column c of `scratch` starts at c * rows. */
typedef npy_intp (*Stage)(
    npy_intp rows, const double **in, const npy_intp *steps, double *out, npy_intp step,
    double *scratch);

typedef struct {
    int stage;
    const char *function;
    int places, count, first;
} Call;

typedef struct {
    const char *module, *name;
    int arguments, sizes[3], width;
    Scalar scalar;
    Stage stages[5];
    int last, columns, calls;
    Call call[8];
} Formula;

static inline double float_maximum(double a, double b) { return b > a ? b : a; }
static inline double float_minimum(double a, double b) { return b < a ? b : a; }
static inline double row_maximum(double a, double b) { return a >= b || isnan(a) ? a : b; }
static inline double row_minimum(double a, double b) { return a <= b || isnan(a) ? a : b; }

static inline double wrap_once(double turn)
{
    const double pi = 3.141592653589793;
    if (turn > pi) return turn - 2.0 * pi;
    return turn <= -pi ? turn + 2.0 * pi : turn;
}

/* The first of the largest, or the first NaN. */
static inline int argmax(double a, double b, double c, double d)
{
    const double keys[4] = {a, b, c, d};
    int best = 0;
    for (int i = 1; i < 4 && !isnan(keys[best]); ++i)
        if (keys[i] > keys[best] || isnan(keys[i])) best = i;
    return best;
}

static inline double pick(int index, double a, double b, double c, double d)
{
    return index == 0 ? a : index == 1 ? b : index == 2 ? c : d;
}
