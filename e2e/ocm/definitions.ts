import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { KubeObject } from '@flotilla/schema';
import { parse } from 'yaml';

const moduleDirectory = fileURLToPath(new URL('.', import.meta.url));
const folders = ['addon/v1alpha1', 'cluster/v1', 'cluster/v1beta2', 'work/v1'];

/** The definitions of Open Cluster Management's API module that its pinned version requires: those of add-ons are v1alpha1 alone. */
export async function ocmDefinitions(): Promise<KubeObject[]> {
  const module = 'open-cluster-management.io/api';
  const { stdout } = await promisify(execFile)('go', ['list', '-m', '-f', '{{.Dir}}', module], {
    cwd: moduleDirectory,
  });
  const read = async (folder: string): Promise<KubeObject[]> => {
    const directory = join(stdout.trim(), folder);
    const files = (await readdir(directory)).filter((file) => file.endsWith('.crd.yaml'));
    return Promise.all(files.map(async (file) => parse(await readFile(join(directory, file), 'utf8'))));
  };
  return (await Promise.all(folders.map(read))).flat();
}
