import { KubeError } from './kube-error.ts';

/** The oldest major version of Node on which servers of this repository run: `engines` of their packages. */
export const minNodeMajor = 24;

/** Throws KubeError `Config` on a Node that is too old, in the place of an error about whatever it lacks first. `what` is what needs it. */
export function requireNode(what: string, version: string = process.versions.node): void {
  if (Number.parseInt(version, 10) >= minNodeMajor) return;
  throw new KubeError(
    'Config',
    `${what} needs Node ${minNodeMajor} or newer, and this is Node ${version}: install it from https://nodejs.org, or run your program with \`npx node@${minNodeMajor}\``,
    {
      hint: `In CI set the version of Node to ${minNodeMajor}, for example with \`node-version: ${minNodeMajor}\` of actions/setup-node.`,
    },
  );
}
