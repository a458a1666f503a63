const form = /^v?(\d+)\.(\d+)\.(\d+)(-[0-9A-Za-z.-]+)?$/;

/** Whether a text is a version, such as `1.2.0` or `v1.2.0-rc.1`. */
export const isVersion = (text: string): boolean => form.test(text);

/** Less than zero if the first version is older, more if it is newer. A release is newer than its candidates. */
export function compareVersions(one: string, other: string): number {
  const [first, second] = [one, other].map((text) => form.exec(text) ?? []);
  for (const at of [1, 2, 3]) {
    const difference = Number(first?.[at] ?? 0) - Number(second?.[at] ?? 0);
    if (difference !== 0) return difference;
  }
  const [candidate = '', otherCandidate = ''] = [first?.[4], second?.[4]];
  if (candidate === otherCandidate) return 0;
  if (candidate === '') return 1;
  if (otherCandidate === '') return -1;
  return candidate.localeCompare(otherCandidate, 'en', { numeric: true });
}

/** The tag of an image; undefined for a digest or none. */
export const tagOf = (image: string | undefined): string | undefined => /:([\w][\w.-]*)$/.exec(image ?? '')?.[1];
