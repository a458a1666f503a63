import { readFile } from 'node:fs/promises';
import { isRecord } from '@flotilla/schema';
import { CliError } from '../errors/cli-error.ts';
import { compareVersions, isVersion } from './versions.ts';

/** The flags that say which images run, and how they are pulled. */
export interface ImageOptions {
  readonly imageRegistry?: string;
  readonly imagePullCredentialFile?: string;
  readonly bundleVersion?: string;
  readonly bundleVersionOverrides?: string;
}

/** The tag of the images of a bundle. `own` is the version of this program: it does not know what newer releases need. */
export async function bundleTag(
  { bundleVersion = 'default', bundleVersionOverrides }: ImageOptions,
  own: string,
): Promise<string> {
  const overridden = bundleVersionOverrides && (await overriddenTag(bundleVersionOverrides));
  if (overridden) return overridden;
  if (bundleVersion === 'default') return `v${own}`;
  if (bundleVersion === 'latest') return 'latest';
  if (isVersion(bundleVersion) && compareVersions(bundleVersion, own) <= 0)
    return `v${bundleVersion.replace(/^v/, '')}`;
  throw new CliError(
    'usage',
    `couldn't find the requested version bundle: ${bundleVersion}`,
    `Give default (${own}), latest, or a release up to ${own}. For a newer one use a newer version of this program.`,
  );
}

/** Of a file `{"flotilla": "v1.2.3"}`, in which `ocm` counts too, as clusteradm names it. */
async function overriddenTag(file: string): Promise<string | undefined> {
  const text = await readText(file, '--bundle-version-overrides');
  let overrides: unknown;
  try {
    overrides = JSON.parse(text);
  } catch (error) {
    throw unusable(file, 'is not JSON', error);
  }
  const tag = isRecord(overrides) ? (overrides.flotilla ?? overrides.ocm) : undefined;
  if (tag === undefined || (typeof tag === 'string' && /^[\w][\w.-]*$/.test(tag))) return tag;
  throw unusable(file, 'has no tag of images under "flotilla"');
}

const unusable = (file: string, why: string, cause?: unknown): CliError =>
  new CliError('usage', `--bundle-version-overrides ${file} ${why}`, 'Write {"flotilla": "v1.2.3"}.', cause);

/** A registry as images begin with it. */
export function checkRegistry(registry: string | undefined): string | undefined {
  if (registry === undefined) return undefined;
  if (registry === '') throw new CliError('usage', 'registry should not be empty', 'Leave --image-registry out.');
  return registry.replace(/\/+$/, '');
}

/** The Docker configuration that images are pulled with; undefined if none is given. */
export async function pullCredentials({ imagePullCredentialFile: file }: ImageOptions): Promise<string | undefined> {
  if (file === undefined) return undefined;
  const text = await readText(file, 'failed read the image pull credential file');
  try {
    JSON.parse(text);
    return text;
  } catch (error) {
    const hint = 'Give a file as `docker login` writes it: ~/.docker/config.json.';
    throw new CliError('usage', `--image-pull-credential-file ${file} is not JSON`, hint, error);
  }
}

/** A file that a flag names; `what` begins the error. */
export async function readText(file: string, what: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CliError('usage', `${what} ${file}: ${reason}`, 'Check its path and permissions.', error);
  }
}
