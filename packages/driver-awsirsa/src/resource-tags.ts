import { KubeError } from '@flotilla/kube';

/** Reads tags for AWS resources from `key=value` entries of a flag. */
export function parseResourceTags(entries: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    entries.map((entry) => {
      const [key, value, ...rest] = entry.split('=');
      if (key === undefined || value === undefined || rest.length > 0) {
        throw new KubeError('Config', `missing value from tag: "${entry}" in --aws-resource-tags is not key=value`, {
          hint: 'Give each tag as key=value with exactly one "=", for example --aws-resource-tags=team=platform.',
        });
      }
      return [key, value];
    }),
  );
}

/** Those of the wanted tags that a resource lacks or has with another value. Undefined if it lacks none. */
export function missingTags(
  wanted: Readonly<Record<string, string>>,
  present: Readonly<Record<string, string>> = {},
): Record<string, string> | undefined {
  const missing = Object.entries(wanted).filter(([key, value]) => present[key] !== value);
  return missing.length > 0 ? Object.fromEntries(missing) : undefined;
}

/** Tags in the form of IAM. */
export const iamTags = (tags: Readonly<Record<string, string>>) =>
  Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
