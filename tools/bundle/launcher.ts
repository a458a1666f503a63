/** What a launcher says and starts. */
export interface LauncherOptions {
  /** The file beside it that has the program. */
  readonly file: string;
  /** As in `bin` of package.json. */
  readonly name: string;
  /** As in `engines` of package.json: `>=24` or `>=22.15`. */
  readonly engines: string;
}

/**
 * The file that `bin` names. A Node that is too old cannot even link the program, so that the program could not say so; this file
 * is written so that any Node can run it.
 */
export function launcherText({ file, name, engines }: LauncherOptions): string {
  const needed = /^>=(\d+(?:\.\d+)?)/.exec(engines)?.[1];
  if (needed === undefined) throw new Error(`"engines" must be of the form >=24 or >=22.15, not ${engines}`);
  const [major, minor = '0'] = needed.split('.');
  return `#!/usr/bin/env node
var version = process.versions.node.split('.').map(Number);
if (version[0] > ${major} || (version[0] === ${major} && version[1] >= ${minor})) {
  import('./${file}');
} else {
  console.error('${name} needs Node ${needed} or newer; this is Node ' + process.versions.node + ' (' + process.execPath + ').');
  process.exitCode = 2;
}
`;
}
