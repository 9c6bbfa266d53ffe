/** Nothing comes in but the language; what primitives that work element by element do goes out. */
import { TranslationBundle } from '@jupyterlab/translation';

import type { Glosses } from './glosses';

export function elementwiseGlosses(trans: TranslationBundle): Glosses {
  return {
    abs: [trans.__('size without the sign'), 'lax.abs', 'x'],
    acos: [trans.__('arc cosine'), 'lax.acos', 'x'],
    acosh: [trans.__('inverse hyperbolic cosine'), 'lax.acosh', 'x'],
    add: [trans.__('sum'), 'lax.add', 'x, y'],
    add_any: [trans.__('sum of two cotangents'), null, 'x, y'],
    and: [trans.__('and, bit by bit'), 'lax.bitwise_and', 'x, y'],
    asin: [trans.__('arc sine'), 'lax.asin', 'x'],
    asinh: [trans.__('inverse hyperbolic sine'), 'lax.asinh', 'x'],
    atan: [trans.__('arc tangent'), 'lax.atan', 'x'],
    atan2: [trans.__('angle of the point (y, x)'), 'lax.atan2', 'y, x'],
    atanh: [trans.__('inverse hyperbolic tangent'), 'lax.atanh', 'x'],
    bessel_i0e: [
      trans.__('scaled Bessel function of order 0'),
      'lax.bessel_i0e',
      'x'
    ],
    bessel_i1e: [
      trans.__('scaled Bessel function of order 1'),
      'lax.bessel_i1e',
      'x'
    ],
    bitcast_convert_type: [
      trans.__('the same bits read as another dtype'),
      'lax.bitcast_convert_type',
      'x'
    ],
    cbrt: [trans.__('cube root'), 'lax.cbrt', 'x'],
    ceil: [trans.__('rounded up'), 'lax.ceil', 'x'],
    clamp: [trans.__('kept between two bounds'), 'lax.clamp', 'min, x, max'],
    clz: [trans.__('count of leading zero bits'), 'lax.clz', 'x'],
    complex: [
      trans.__('complex number of two real ones'),
      'lax.complex',
      'real, imag'
    ],
    conj: [trans.__('complex conjugate'), 'lax.conj', 'x'],
    convert_element_type: [
      trans.__('change of dtype'),
      'lax.convert_element_type',
      'x'
    ],
    cos: [trans.__('cosine'), 'lax.cos', 'x'],
    cosh: [trans.__('hyperbolic cosine'), 'lax.cosh', 'x'],
    digamma: [trans.__('derivative of lgamma'), 'lax.digamma', 'x'],
    div: [
      trans.__('quotient; of integers without the remainder'),
      'lax.div',
      'x, y'
    ],
    eq: [trans.__('whether equal'), 'lax.eq', 'x, y'],
    eq_to: [
      trans.__('whether equal, with an order for NaN and -0'),
      null,
      'x, y'
    ],
    erf: [trans.__('error function'), 'lax.erf', 'x'],
    erf_inv: [trans.__('inverse of the error function'), 'lax.erf_inv', 'x'],
    erfc: [trans.__('1 minus the error function'), 'lax.erfc', 'x'],
    exp: [trans.__('e to the power of x'), 'lax.exp', 'x'],
    exp2: [trans.__('2 to the power of x'), 'lax.exp2', 'x'],
    expm1: [trans.__('exp(x) - 1, exact near zero'), 'lax.expm1', 'x'],
    floor: [trans.__('rounded down'), 'lax.floor', 'x'],
    from_edtype: [
      trans.__('an extended dtype read as the plain one below it'),
      null,
      'x'
    ],
    ge: [trans.__('whether greater or equal'), 'lax.ge', 'x, y'],
    gt: [trans.__('whether greater'), 'lax.gt', 'x, y'],
    igamma: [
      trans.__('regularised lower incomplete gamma function'),
      'lax.igamma',
      'a, x'
    ],
    igamma_grad_a: [
      trans.__('derivative of igamma by its first argument'),
      'lax.igamma_grad_a',
      'a, x'
    ],
    igammac: [
      trans.__('regularised upper incomplete gamma function'),
      'lax.igammac',
      'a, x'
    ],
    imag: [trans.__('imaginary part'), 'lax.imag', 'x'],
    integer_pow: [trans.__('integer power'), 'lax.integer_pow', 'x'],
    is_finite: [
      trans.__('whether neither infinite nor NaN'),
      'lax.is_finite',
      'x'
    ],
    le: [trans.__('whether less or equal'), 'lax.le', 'x, y'],
    le_to: [
      trans.__('whether less or equal, with an order for NaN and -0'),
      null,
      'x, y'
    ],
    lgamma: [trans.__('logarithm of the gamma function'), 'lax.lgamma', 'x'],
    log: [trans.__('natural logarithm'), 'lax.log', 'x'],
    log1p: [trans.__('log(1 + x), exact near zero'), 'lax.log1p', 'x'],
    log2: [trans.__('logarithm to base 2'), 'numpy.log2', 'x'],
    logistic: [trans.__('sigmoid'), 'lax.logistic', 'x'],
    lt: [trans.__('whether less'), 'lax.lt', 'x, y'],
    lt_to: [
      trans.__('whether less, with an order for NaN and -0'),
      null,
      'x, y'
    ],
    max: [trans.__('the greater of two'), 'lax.max', 'x, y'],
    min: [trans.__('the lesser of two'), 'lax.min', 'x, y'],
    mul: [trans.__('product, element by element'), 'lax.mul', 'x, y'],
    mulhi: [
      trans.__('upper half of the bits of an integer product'),
      null,
      'x, y'
    ],
    ne: [trans.__('whether different'), 'lax.ne', 'x, y'],
    neg: [trans.__('other sign'), 'lax.neg', 'x'],
    nextafter: [
      trans.__('next number of the dtype in a direction'),
      'lax.nextafter',
      'x, y'
    ],
    not: [trans.__('not, bit by bit'), 'lax.bitwise_not', 'x'],
    one_minus_square: [trans.__('1 - x², exact near ±1'), null, 'x'],
    or: [trans.__('or, bit by bit'), 'lax.bitwise_or', 'x, y'],
    polygamma: [
      trans.__('derivative of digamma, of a given order'),
      'lax.polygamma',
      'm, x'
    ],
    population_count: [
      trans.__('count of bits that are set'),
      'lax.population_count',
      'x'
    ],
    pow: [trans.__('x to the power of y'), 'lax.pow', 'x, y'],
    real: [trans.__('real part'), 'lax.real', 'x'],
    reduce_precision: [
      trans.__('rounded as a dtype of fewer bits would, in the same dtype'),
      'lax.reduce_precision',
      'x'
    ],
    regularized_incomplete_beta: [
      trans.__('regularised incomplete beta function'),
      'lax.betainc',
      'a, b, x'
    ],
    rem: [
      trans.__('remainder of a division, with the sign of x'),
      'lax.rem',
      'x, y'
    ],
    round: [trans.__('rounded to a whole number'), 'lax.round', 'x'],
    rsqrt: [trans.__('1 over the square root'), 'lax.rsqrt', 'x'],
    select_n: [
      trans.__('choice element by element'),
      'lax.select_n',
      'which, case 0, case 1, …'
    ],
    shift_left: [trans.__('bits moved up'), 'lax.shift_left', 'x, y'],
    shift_right_arithmetic: [
      trans.__('bits moved down, the sign kept'),
      'lax.shift_right_arithmetic',
      'x, y'
    ],
    shift_right_logical: [
      trans.__('bits moved down, zeros from above'),
      'lax.shift_right_logical',
      'x, y'
    ],
    sign: [trans.__('-1, 0 or 1'), 'lax.sign', 'x'],
    sin: [trans.__('sine'), 'lax.sin', 'x'],
    sinh: [trans.__('hyperbolic sine'), 'lax.sinh', 'x'],
    sqrt: [trans.__('square root'), 'lax.sqrt', 'x'],
    square: [trans.__('x times x'), 'lax.square', 'x'],
    sub: [trans.__('difference'), 'lax.sub', 'x, y'],
    tan: [trans.__('tangent'), 'lax.tan', 'x'],
    tanh: [trans.__('hyperbolic tangent'), 'lax.tanh', 'x'],
    to_edtype: [trans.__('plain numbers read as an extended dtype'), null, 'x'],
    xor: [trans.__('exclusive or, bit by bit'), 'lax.bitwise_xor', 'x, y'],
    zeta: [trans.__('Hurwitz zeta function'), 'lax.zeta', 'x, q']
  };
}
