/**
 * True if `candidate` is certainly not newer than `held`. Resource versions are decimal numbers that grow (guaranteed since
 * Kubernetes 1.35 and true long before), too large for a JavaScript number in principle, hence the comparison by length and
 * then by digits. What is not a number cannot be compared and counts as newer, because dropping news is worse than repeating it.
 */
export function isNotNewer(candidate: string | undefined, held: string | undefined): boolean {
  if (candidate === undefined || held === undefined) return false;
  if (candidate === held) return true;
  if (!decimal.test(candidate) || !decimal.test(held)) return false;
  return candidate.length === held.length ? candidate < held : candidate.length < held.length;
}

const decimal = /^(0|[1-9][0-9]*)$/;
