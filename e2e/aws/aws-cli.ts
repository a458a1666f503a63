import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ensurePythonPackages } from './python-packages.ts';

/** Installs the AWS CLI, version 1, which is on the Python Package Index. */
export const ensureAwsCli = (): Promise<string> => ensurePythonPackages('awscli', ['awscli==1.46.2']);

/** Makes it the command `aws` of a directory. */
export async function installAwsCli(bin: string): Promise<void> {
  const packages = await ensureAwsCli();
  await mkdir(bin, { recursive: true });
  const command = join(bin, 'aws');
  await writeFile(command, `#!/bin/sh\nPYTHONPATH=${packages} exec python3 -m awscli "$@"\n`);
  await chmod(command, 0o755);
}
