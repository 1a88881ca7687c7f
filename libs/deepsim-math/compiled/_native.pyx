# SPDX-License-Identifier: Apache-2.0
# cython: language_level=3, auto_pickle=False, binding=False
"""What the compiled wheel adds: formulas in C, and values that keep their numbers in C.

Whatever does not go the plain way (other types, errors) is left to the Python that this stands
beside, so that both wheels answer alike.
"""

import numpy

cimport numpy
from cpython.float cimport PyFloat_AS_DOUBLE
from cpython.object cimport PyObject, PyTypeObject
from libc.string cimport strcmp

numpy.import_array()

cdef extern from "Python.h":
    object PyType_GenericAlloc(type kind, Py_ssize_t count)

cdef extern from "numpy/arrayobject.h":
    bint PyArray_ISCARRAY_RO(numpy.ndarray array)
    bint PyArray_CheckExact(object array)
    bint PyArray_ISBEHAVED_RO(numpy.ndarray array)

cdef extern from "kernels.h":
    ctypedef numpy.npy_intp (*Stage)(
        numpy.npy_intp rows, const double **inputs, const numpy.npy_intp *steps, double *out,
        numpy.npy_intp step, double *scratch) noexcept
    ctypedef struct Call:
        int stage, places, count, first
        const char *function
    ctypedef struct Formula:
        const char *module
        const char *name
        int arguments
        int sizes[3]
        int width
        int (*scalar)(const double *inputs, double *out) noexcept
        Stage stages[5]
        int last, columns, calls
        Call call[8]
    const Formula FORMULAS[]
    int FORMULAS_COUNT
    int multiply "rotations_multiply"(const double *inputs, double *out) noexcept
    int rotate "rotations_rotate"(const double *inputs, double *out) noexcept
    int compose "motions_compose"(const double *inputs, double *out) noexcept


cdef class Kernel:
    """A formula: called with floats it runs in C, with anything else in Python."""

    cdef const Formula *formula
    cdef int inputs
    cdef object python
    cdef tuple functions

    def __call__(self, *numbers):
        cdef double given[24]
        cdef double out[16]
        cdef Py_ssize_t i
        if len(numbers) != self.inputs:
            return self.python(*numbers)
        for i in range(self.inputs):
            if type(numbers[i]) is not float:
                return self.python(*numbers)
            given[i] = PyFloat_AS_DOUBLE(numbers[i])
        if not self.formula.scalar(given, out):
            return self.python(*numbers)
        if not self.formula.width:
            return out[0]
        if self.formula.width == 3:
            return out[0], out[1], out[2]
        if self.formula.width == 4:
            return out[0], out[1], out[2], out[3]
        return tuple([out[i] for i in range(self.formula.width)])

    def apply(self, arguments):
        """Returns the rows of contiguous float64 arrays of one shape; None of other arguments."""
        cdef const double *starts[3]
        cdef numpy.npy_intp steps[3]
        cdef numpy.npy_intp shape[32]
        cdef numpy.ndarray array, result
        cdef numpy.npy_intp rows = 1, done = 0
        cdef int lead = -1, own, size, i, d
        for i in range(self.formula.arguments):
            argument = arguments[i]
            size = self.formula.sizes[i]
            if not PyArray_CheckExact(argument):
                return None
            array = argument
            own = numpy.PyArray_NDIM(array) - (size != 0)
            if own < 0 or own > 30 or numpy.PyArray_TYPE(array) != numpy.NPY_DOUBLE:
                return None
            if not PyArray_ISCARRAY_RO(array) or size and numpy.PyArray_DIM(array, own) != size:
                return None
            starts[i] = <const double *> numpy.PyArray_DATA(array)
            steps[i] = 0 if own == 0 else size or 1
            if own == 0:
                continue
            if lead < 0:
                lead = own
                for d in range(own):
                    shape[d] = numpy.PyArray_DIM(array, d)
                    rows *= shape[d]
            elif own != lead:
                return None
            else:
                for d in range(own):
                    if numpy.PyArray_DIM(array, d) != shape[d]:
                        return None
        if lead < 0:
            lead = 0
        shape[lead] = self.formula.width
        result = numpy.PyArray_EMPTY(lead + (self.formula.width != 0), shape, numpy.NPY_DOUBLE, 0)
        if self.formula.calls:
            with numpy.errstate(all="ignore"):
                done = self.work(rows, starts, steps, <double *> numpy.PyArray_DATA(result),
                                 self.formula.width or 1)
        else:
            done = self.work(rows, starts, steps, <double *> numpy.PyArray_DATA(result),
                             self.formula.width or 1)
        return result if done == rows else None

    def fill(self, numpy.ndarray target, *tables):
        """Computes rows of `target` (n, width) from tables (n or 1, size); returns how many.

        It stops at a row that Python refuses, and does none of arrays that lie unevenly.
        """
        cdef const double *starts[3]
        cdef numpy.npy_intp steps[3]
        cdef numpy.ndarray table
        cdef int i
        if not _rows_of_doubles(target):
            return 0
        for i in range(self.formula.arguments):
            table = tables[i]
            if not _rows_of_doubles(table):
                return 0
            starts[i] = <const double *> numpy.PyArray_DATA(table)
            steps[i] = numpy.PyArray_STRIDE(table, 0) // 8 if numpy.PyArray_DIM(table, 0) > 1 else 0
        return self.work(
            numpy.PyArray_DIM(target, 0), starts, steps, <double *> numpy.PyArray_DATA(target),
            numpy.PyArray_STRIDE(target, 0) // 8)

    cdef numpy.npy_intp work(
        self, numpy.npy_intp rows, const double **starts, const numpy.npy_intp *steps, double *out,
        numpy.npy_intp step
    ) except -1:
        cdef const Formula *formula = self.formula
        cdef numpy.npy_intp block = 1024, done = 0, count, refused
        cdef double small[512]
        cdef double *scratch = small
        cdef const double *inputs[3]
        cdef numpy.ndarray memory
        cdef int i, stage
        if formula.calls:
            if rows < block:
                block = rows
            if formula.columns * block > 512:
                memory = numpy.empty(formula.columns * block)
                scratch = <double *> numpy.PyArray_DATA(memory)
        else:
            block = rows
        while done < rows:
            count = rows - done if rows - done < block else block
            for stage in range(formula.last):
                for i in range(formula.arguments):
                    inputs[i] = starts[i] + done * steps[i]
                refused = formula.stages[stage](
                    count, inputs, steps, out + done * step, step, scratch)
                if refused < count:
                    return done + refused
                for i in range(formula.calls):
                    if formula.call[i].stage == stage:
                        _call(self.functions[i], &formula.call[i], count, scratch)
            done += count
        return rows


cdef bint _rows_of_doubles(numpy.ndarray array):
    return (
        numpy.PyArray_TYPE(array) == numpy.NPY_DOUBLE
        and numpy.PyArray_NDIM(array) == 2
        and PyArray_ISBEHAVED_RO(array)
        and (numpy.PyArray_DIM(array, 1) <= 1 or numpy.PyArray_STRIDE(array, 1) == 8)
        and numpy.PyArray_STRIDE(array, 0) % 8 == 0
    )


cdef int _call(function, const Call *call, numpy.npy_intp rows, double *scratch) except -1:
    cdef numpy.npy_intp size = call.count * rows
    first = numpy.PyArray_SimpleNewFromData(
        1, &size, numpy.NPY_DOUBLE, scratch + call.first * rows)
    result = numpy.PyArray_SimpleNewFromData(
        1, &size, numpy.NPY_DOUBLE, scratch + call.first * rows + call.places * size + rows)
    if call.places == 1:
        function(first, result)
    else:
        second = numpy.PyArray_SimpleNewFromData(
            1, &size, numpy.NPY_DOUBLE, scratch + call.first * rows + size)
        function(first, second, result)
    return 0


def install(module):
    """Puts kernels in the places of the formulas of a module of `deepsim_math.formulas`."""
    cdef Kernel kernel
    cdef int i, j
    name = module.__name__.rpartition(".")[2].encode()
    for i in range(FORMULAS_COUNT):
        if strcmp(FORMULAS[i].module, name):
            continue
        kernel = Kernel()
        kernel.formula = &FORMULAS[i]
        kernel.inputs = sum([FORMULAS[i].sizes[j] or 1 for j in range(FORMULAS[i].arguments)])
        kernel.python = getattr(module, FORMULAS[i].name.decode())
        kernel.functions = tuple(
            [getattr(numpy, FORMULAS[i].call[j].function.decode())
             for j in range(FORMULAS[i].calls)])
        setattr(module, FORMULAS[i].name.decode(), kernel)


# Values. The classes in Python derive from these and take their methods; `keep` gives back what
# those methods replaced, for all that does not go the plain way.

cdef dict _python = {}


def keep(name, item):
    """Remembers a class or a function in Python, for this module to use."""
    _python[name] = item
    global _quaternion, _pose, _point
    if name == "Quaternion":
        _quaternion = item
    elif name == "Pose":
        _pose = item
    elif name == "Point":
        _point = item


cdef type _quaternion = None, _pose = None, _point = None
cdef tuple _EMPTY = ()


cdef Py_hash_t _hash(value, tuple fields) except -1:
    """As the hash of a NaN is that of an object, a value that has one is hashed as an object."""
    for field in fields:
        if field != field:
            return object.__hash__(value)
    return hash(fields)


cdef class Coordinates:
    cdef readonly double x, y, z

    def __init__(self, x=0.0, y=0.0, z=0.0):
        self.x = x if type(x) is float else _python["number"](x, "x")
        self.y = y if type(y) is float else _python["number"](y, "y")
        self.z = z if type(z) is float else _python["number"](z, "z")

    def __hash__(self):
        return _hash(self, (self.x, self.y, self.z))


cdef class Euler:
    cdef readonly double roll, pitch, yaw

    def __init__(self, roll=0.0, pitch=0.0, yaw=0.0):
        self.roll = roll if type(roll) is float else _python["number"](roll, "roll")
        self.pitch = pitch if type(pitch) is float else _python["number"](pitch, "pitch")
        self.yaw = yaw if type(yaw) is float else _python["number"](yaw, "yaw")

    def __hash__(self):
        return _hash(self, (self.roll, self.pitch, self.yaw))


cdef class Quaternion:
    cdef readonly double x, y, z, w

    def __init__(self, x=0.0, y=0.0, z=0.0, w=1.0):
        self.x = x if type(x) is float else _python["number"](x, "x")
        self.y = y if type(y) is float else _python["number"](y, "y")
        self.z = z if type(z) is float else _python["number"](z, "z")
        self.w = w if type(w) is float else _python["number"](w, "w")

    def __hash__(self):
        return _hash(self, (self.x, self.y, self.z, self.w))

    def __mul__(self, other):
        cdef Quaternion b
        cdef double row[4]
        if not isinstance(other, Quaternion):
            return _python["Quaternion.__mul__"](self, other)
        b = other
        cdef double *given = [self.x, self.y, self.z, self.w, b.x, b.y, b.z, b.w]
        multiply(given, row)
        return make_quaternion(row[0], row[1], row[2], row[3])

    def rotate(self, vector):
        """Turns a Vector3 or a Point (about the origin); a sequence becomes a Vector3."""
        cdef Coordinates v
        cdef double row[3]
        if not isinstance(vector, Coordinates):
            return _python["Quaternion.rotate"](self, vector)
        v = vector
        cdef double *given = [self.x, self.y, self.z, self.w, v.x, v.y, v.z]
        if not rotate(given, row):
            return _python["Quaternion.rotate"](self, vector)
        return make(type(vector), row[0], row[1], row[2])


cdef class Pose:
    cdef readonly object position, orientation

    def __matmul__(self, other):
        cdef double row[7]
        cdef Coordinates p, s
        cdef Quaternion q, r
        if not isinstance(other, Pose):
            return _python["Pose.__matmul__"](self, other)
        p, q = self.position, self.orientation
        s, r = (<Pose> other).position, (<Pose> other).orientation
        cdef double *given = [
            p.x, p.y, p.z, q.x, q.y, q.z, q.w, s.x, s.y, s.z, r.x, r.y, r.z, r.w]
        if not compose(given, row):
            return _python["Pose.__matmul__"](self, other)
        cdef Pose pose = (<PyTypeObject *> _pose).tp_new(_pose, <PyObject *> _EMPTY, NULL)
        pose.position = make(_point, row[0], row[1], row[2])
        pose.orientation = make_quaternion(row[3], row[4], row[5], row[6])
        return pose


cpdef make(type kind, double x, double y, double z):
    cdef Coordinates value = PyType_GenericAlloc(kind, 0)
    value.x, value.y, value.z = x, y, z
    return value


cpdef make_quaternion(double x, double y, double z, double w):
    cdef Quaternion value = PyType_GenericAlloc(_quaternion, 0)
    value.x, value.y, value.z, value.w = x, y, z, w
    return value


cpdef make_pose(row):
    cdef Pose pose = (<PyTypeObject *> _pose).tp_new(_pose, <PyObject *> _EMPTY, NULL)
    pose.position = make(_point, row[0], row[1], row[2])
    pose.orientation = make_quaternion(row[3], row[4], row[5], row[6])
    return pose


def set_position(Pose pose, value):
    pose.position = value


def set_orientation(Pose pose, value):
    pose.orientation = value


SETTERS = {"Pose": (set_position, set_orientation)}
