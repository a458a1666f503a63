import { type ClusterManagementAddOn, clusterManagementAddOns } from '@flotilla/api-types';
import type { CliContext } from '../context.ts';
import { CliError } from '../errors/cli-error.ts';
import { readManifests } from '../work/manifest-files.ts';
import { type Manifest, parseManifests } from '../work/manifests.ts';
import { bundledAddOns } from './bundled-addons.ts';

/** Objects that make a hub offer add-ons. */
export interface HubAddOnBundle {
  /** How a user names it: an add-on, or the file that it is from. */
  readonly source: string;
  /** The add-ons that it offers. */
  readonly addOns: readonly string[];
  readonly objects: readonly Manifest[];
}

/** The flags that choose bundles. */
export interface BundleOptions {
  readonly names?: readonly string[];
  readonly bundle?: readonly string[];
}

/** Names that clusteradm installs from charts and manifests of their projects. */
const elsewhere: readonly string[] = ['argocd', 'argocd-agent', 'governance-policy-framework'];

/** Reads the chosen bundles: those that this program brings by name, others from files. */
export async function readBundles(
  context: Pick<CliContext, 'readStdin' | 'program'>,
  { names = [], bundle = [] }: BundleOptions,
): Promise<HubAddOnBundle[]> {
  if (names.length === 0 && bundle.length === 0) {
    throw new CliError(
      'usage',
      'names is missing',
      `Give --names with one of ${bundledNames()}, or --bundle with the manifests of another add-on.`,
    );
  }
  const byName = names.map((name) => {
    const text = bundledAddOns[name];
    if (text === undefined) throw invalidName(name);
    return bundleOf(name, parseManifests(text, `the bundle ${name}`));
  });
  const byFile: HubAddOnBundle[] = [];
  for (const path of bundle) byFile.push(bundleOf(path, await readManifests(context, [path], true)));
  return [...byName, ...byFile];
}

const bundledNames = (): string => Object.keys(bundledAddOns).join(', ');

const invalidName = (name: string): CliError =>
  new CliError(
    'usage',
    `invalid add-on name ${name}`,
    elsewhere.includes(name)
      ? `Its manifests are not part of this program. Render them from its project (\`helm template\`, \`kubectl kustomize\`) and give them by --bundle.`
      : `This program brings ${bundledNames()}; give the manifests of others by --bundle.`,
  );

function bundleOf(source: string, objects: readonly Manifest[]): HubAddOnBundle {
  const addOns = objects.filter(isClusterManagementAddOn).map(({ metadata }) => metadata?.name ?? '');
  if (addOns.length > 0) return { source, addOns, objects };
  throw new CliError(
    'usage',
    `${source} has no ClusterManagementAddOn, so it offers no add-on`,
    `Add one, or make an add-on of plain manifests by \`flotilla addon create NAME -f ${source}\`.`,
  );
}

const isClusterManagementAddOn = (object: Manifest): object is Manifest & ClusterManagementAddOn =>
  object.kind === clusterManagementAddOns.kind && object.apiVersion.startsWith(`${clusterManagementAddOns.group}/`);
