const suffixes: Readonly<Record<string, number>> = {
  '': 1,
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/** The number that a quantity such as `500m` or `64Mi` stands for; undefined if it is not one. */
export function quantityValue(text: string): number | undefined {
  const [, digits, exponent, suffix = ''] = /^([+-]?[0-9.]+)(?:[eE]([+-]?\d+)|([A-Za-z]*))$/.exec(text) ?? [];
  const factor = exponent === undefined ? suffixes[suffix] : 10 ** Number(exponent);
  if (digits === undefined || factor === undefined || Number.isNaN(Number(digits))) return undefined;
  return Number(digits) * factor;
}
