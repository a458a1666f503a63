import {
  type AddOnTemplate,
  addOnTemplates,
  type ClusterManagementAddOn,
  clusterManagementAddOns,
  NamespaceName,
} from '@flotilla/api-types';
import type { KubeClient } from '@flotilla/kube';
import { semanticEqual } from '@flotilla/kube/meta';
import { isDnsSubdomain } from '@flotilla/schema';
import { defaultManifestLimit, validateManifests } from '@flotilla/work-manager';
import { checkAddOnName } from '../addon/addon-names.ts';
import {
  type NewAddOn,
  newClusterManagementAddOn,
  newTemplate,
  templateName,
  withTemplate,
} from '../addon/new-addon.ts';
import type { ChangeOptions, CliContext, GlobalOptions } from '../context.ts';
import { CliError } from '../errors/cli-error.ts';
import { requireHub } from '../hub/accept.ts';
import { startChangeReport } from '../output/change-report.ts';
import { type TypedObject, withKind } from '../output/kubectl-name.ts';
import { readManifests } from '../work/manifest-files.ts';
import { describeManifest, type Manifest } from '../work/manifests.ts';
import { withNamespaces } from '../work/new-work.ts';
import type { PlacementName } from '../work/placed-clusters.ts';

/** The flags of `addon create`. */
export interface AddOnCreateOptions extends ChangeOptions {
  readonly filename?: readonly string[];
  readonly recursive?: boolean;
  readonly version: string;
  readonly overwrite?: boolean;
  readonly hubRegistration?: boolean;
  readonly clusterRoleBind?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly placementRef?: string;
  readonly output: string;
}

/** What becomes of one object. */
interface Step<T> {
  readonly what: string;
  readonly wanted: T;
  readonly existing?: T;
  readonly isSame: boolean;
}

/** Offers the objects of files as an add-on: a template, and the add-on that has it as its default. */
export async function createAddOn(
  context: CliContext,
  name: string | undefined,
  options: AddOnCreateOptions & GlobalOptions,
): Promise<void> {
  const { overwrite = false, dryRun = false } = options;
  const flags = checkFlags(name, options, context.program);
  const read = await readManifests(context, options.filename ?? [], options.recursive ?? false);
  await using hub = await context.connector.toCluster(options);
  await requireHub(hub.client);
  const manifests = withNamespaces(read, await hub.client.mapper.all(), NamespaceName.AgentAddOn);
  reportNamespaces(context, read, manifests);
  checkManifests(manifests);
  const addOn: NewAddOn = { ...flags, manifests };
  const template = await templateStep(hub.client, addOn);
  const offer = await offerStep(hub.client, addOn);
  refuseOverwriting([template, offer], overwrite);
  // The template first: an add-on that names one that is not there yet would be reported as broken.
  const report = startChangeReport(context, options);
  report.add(await write(hub.client, addOnTemplates, template, dryRun), outcomeOf(template));
  report.add(await write(hub.client, clusterManagementAddOns, offer, dryRun), outcomeOf(offer));
  report.end();
}

function checkFlags(
  name: string | undefined,
  options: AddOnCreateOptions,
  program: string,
): Omit<NewAddOn, 'manifests'> {
  const usage = (message: string, hint: string): CliError => new CliError('usage', message, hint);
  const { version, labels = {}, hubRegistration = false, clusterRoleBind: clusterRole } = options;
  const example = `For example: \`${program} addon create hello -f hello.yaml\`.`;
  checkAddOnName(name, example);
  if (!options.filename?.length) throw usage('manifest files must be specified', example);
  if (!isDnsSubdomain(`${name}-${version}`)) {
    throw usage(
      `--version: "${version}" cannot be part of the name of a template`,
      'Use lower-case letters, digits, hyphens and dots, for example 0.0.1.',
    );
  }
  if (clusterRole !== undefined && !hubRegistration) {
    throw usage(
      '--cluster-role-bind needs --hub-registration',
      'Add it: without credentials for the hub the agent of the add-on cannot use the role.',
    );
  }
  const placement = placementRefOf(options.placementRef);
  return {
    name,
    version,
    labels,
    hubRegistration,
    ...(clusterRole !== undefined && { clusterRole }),
    ...(placement && { placement }),
  };
}

/** Reads `--placement-ref`; an empty one means that nothing is installed by itself. */
export function placementRefOf(text: string | undefined): PlacementName | undefined {
  if (text === undefined || text.trim() === '') return undefined;
  const example = 'For example: --placement-ref default/all.';
  const parts = text.split('/').map((part) => part.trim());
  if (parts.length !== 2) {
    throw new CliError('usage', `placement-ref must be in the format 'namespace/name', not '${text}'`, example);
  }
  const [namespace, name] = parts;
  if (namespace && name) return { namespace, name };
  throw new CliError('usage', `placement-ref namespace and name cannot be empty, as in '${text}'`, example);
}

/** Says where a namespace was put in, since the file does not. */
function reportNamespaces(context: CliContext, before: readonly Manifest[], after: readonly Manifest[]): void {
  for (const [index, manifest] of after.entries()) {
    if (manifest === before[index]) continue;
    context.err.write(`${describeManifest(manifest)}: has no namespace, so that of add-ons is used\n`);
  }
}

/** Refuses what the hub would refuse in the works of the add-on, before it is offered. */
function checkManifests(manifests: readonly Manifest[]): void {
  const refusal = validateManifests(manifests, defaultManifestLimit);
  if (refusal) throw new CliError('usage', refusal.message, refusal.warnings?.join('\n') ?? '');
}

async function templateStep(client: KubeClient, addOn: NewAddOn): Promise<Step<AddOnTemplate>> {
  const fresh = newTemplate(addOn);
  const existing = await client.resource(addOnTemplates).find(templateName(addOn));
  const what = `AddOnTemplate ${templateName(addOn)}`;
  if (!existing) return { what, wanted: fresh, isSame: false };
  const labels = { ...existing.metadata?.labels, ...addOn.labels };
  const wanted = { ...existing, metadata: { ...existing.metadata, labels }, spec: fresh.spec };
  return { what, wanted, existing, isSame: isSame(wanted, existing) };
}

async function offerStep(client: KubeClient, addOn: NewAddOn): Promise<Step<ClusterManagementAddOn>> {
  const existing = await client.resource(clusterManagementAddOns).find(addOn.name);
  const what = `ClusterManagementAddOn ${addOn.name}`;
  if (!existing) return { what, wanted: newClusterManagementAddOn(addOn), isSame: false };
  const wanted = withTemplate(existing, addOn);
  return { what, wanted, existing, isSame: isSame(wanted, existing) };
}

const isSame = (wanted: AddOnTemplate | ClusterManagementAddOn, existing: typeof wanted): boolean =>
  semanticEqual(wanted.spec, existing.spec) &&
  semanticEqual(wanted.metadata?.labels ?? {}, existing.metadata?.labels ?? {});

function refuseOverwriting(steps: readonly Step<unknown>[], overwrite: boolean): void {
  const blocked = steps.filter((step) => step.existing !== undefined && !step.isSame);
  if (blocked.length === 0 || overwrite) return;
  throw new CliError(
    'precondition',
    `${blocked.map(({ what }) => what).join(' and ')} already exists, with other content`,
    'Replace it with --overwrite, or take another name; with another --version the earlier template stays. Nothing was changed.',
  );
}

async function write<T extends AddOnTemplate | ClusterManagementAddOn>(
  client: KubeClient,
  type: Parameters<typeof client.resource<T>>[0],
  { wanted, existing, isSame: same }: Step<T>,
  dryRun: boolean,
): Promise<TypedObject> {
  const handle = client.resource(type);
  if (existing && same) return withKind(type, existing);
  return withKind(type, await (existing ? handle.replace(wanted, { dryRun }) : handle.create(wanted, { dryRun })));
}

function outcomeOf({ what, existing, isSame: same }: Step<unknown>): string {
  if (existing === undefined) return `${what} is created`;
  return same ? `${what} already exists` : `${what} is updated`;
}
