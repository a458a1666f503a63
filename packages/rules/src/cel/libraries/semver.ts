import { compared, failure, type Library } from './library.ts';

/** A semantic version. */
class CelSemver {
  readonly numbers: readonly [bigint, bigint, bigint];
  readonly prerelease: readonly string[];

  constructor(numbers: readonly [bigint, bigint, bigint], prerelease: readonly string[]) {
    this.numbers = numbers;
    this.prerelease = prerelease;
  }
}

const number = '(0|[1-9]\\d*)';
const identifier = '(?:0|[1-9]\\d*|\\d*[A-Za-z-][0-9A-Za-z-]*)';
const shape = new RegExp(
  `^${number}\\.${number}\\.${number}(?:-(${identifier}(?:\\.${identifier})*))?(?:\\+[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?$`,
);

function parse(text: string, normalize = false): CelSemver | undefined {
  const match = shape.exec(normalize ? normalized(text) : text);
  if (!match) return undefined;
  const [, major = '', minor = '', patch = '', prerelease] = match;
  return new CelSemver([BigInt(major), BigInt(minor), BigInt(patch)], prerelease?.split('.') ?? []);
}

/** `v1.2` becomes `1.2.0`, and `01` becomes `1`. */
function normalized(text: string): string {
  const [, core = '', rest = ''] = /^v?([0-9.]*)(.*)$/s.exec(text) ?? [];
  const parts = core.split('.').map((part) => part.replace(/^0+(?=\d)/, ''));
  while (parts.length < 3) parts.push('0');
  return parts.join('.') + rest;
}

function compare(left: CelSemver, right: CelSemver): bigint {
  for (const at of [0, 1, 2] as const) {
    const order = compared(left.numbers[at], right.numbers[at]);
    if (order !== 0n) return order;
  }
  return comparePrereleases(left.prerelease, right.prerelease);
}

/** What has a pre-release comes before what has none; then part by part, numbers before words. */
function comparePrereleases(left: readonly string[], right: readonly string[]): bigint {
  if (left.length === 0 || right.length === 0) return compared(right.length, left.length);
  for (const [at, ours] of left.entries()) {
    const theirs = right[at];
    if (theirs === undefined) return 1n;
    const order = compareParts(ours, theirs);
    if (order !== 0n) return order;
  }
  return compared(left.length, right.length);
}

function compareParts(left: string, right: string): bigint {
  const [ours, theirs] = [/^\d+$/.test(left), /^\d+$/.test(right)];
  if (ours && theirs) return compared(BigInt(left), BigInt(right));
  if (ours !== theirs) return ours ? -1n : 1n;
  return left < right ? -1n : left > right ? 1n : 0n;
}

function semverOf(text: string, normalize?: boolean): CelSemver {
  const version = parse(text, normalize);
  if (!version) throw failure(`invalid semantic version: ${JSON.stringify(text)}`);
  return version;
}

/** Kubernetes' functions on semantic versions. */
export const registerSemver: Library = (environment) => {
  const type = 'kubernetes.Semver';
  environment
    .registerType(type, CelSemver)
    .registerFunction('isSemver(string): bool', (text: string) => parse(text) !== undefined)
    .registerFunction('isSemver(string, bool): bool', (text: string, lax: boolean) => parse(text, lax) !== undefined)
    .registerFunction(`semver(string): ${type}`, (text: string) => semverOf(text))
    .registerFunction(`semver(string, bool): ${type}`, semverOf)
    .registerFunction(`${type}.major(): int`, ({ numbers }: CelSemver) => numbers[0])
    .registerFunction(`${type}.minor(): int`, ({ numbers }: CelSemver) => numbers[1])
    .registerFunction(`${type}.patch(): int`, ({ numbers }: CelSemver) => numbers[2])
    .registerFunction(`${type}.isLessThan(${type}): bool`, (a: CelSemver, b: CelSemver) => compare(a, b) < 0n)
    .registerFunction(`${type}.isGreaterThan(${type}): bool`, (a: CelSemver, b: CelSemver) => compare(a, b) > 0n)
    .registerFunction(`${type}.compareTo(${type}): int`, compare)
    .registerOperator(`${type} == ${type}`, (a: CelSemver, b: CelSemver) => compare(a, b) === 0n);
};
