import { readFile } from 'node:fs/promises';
import type { ManagedCluster } from '@flotilla/api-types';
import { KubeError } from '@flotilla/kube';
import {
  type Command,
  defineOptions,
  exitCodeOf,
  exitCodes,
  type OptionDefinitions,
  type OptionValues,
  type ProcessHost,
  parseOptions,
} from '@flotilla/process';
import { isRecord, type KubeObject } from '@flotilla/schema';
import { parseAllDocuments, stringify } from 'yaml';
import type { AddonDefinition } from '../definition/addon-definition.ts';
import type { Manifest } from '../definition/manifest.ts';
import { authorFrames } from '../render/render-error.ts';
import { renderOffline } from '../render/render-offline.ts';
import { installManifests } from './install-manifests.ts';
import { rbacManifests } from './rbac-manifests.ts';

/** The frames that are shown of an error of the author's own code. */
const maxFrames = 5;

const namespace = { type: 'string', required: true, description: 'Namespace of the controller on the hub.' } as const;

const renderOptions = defineOptions({
  cluster: { type: 'string', required: true, description: 'File with a ManagedCluster, or the name of one.' },
  addon: { type: 'string', description: 'File with the ManagedClusterAddOn, for its annotations.' },
  configFile: { type: 'list', description: 'Files with configuration objects of the cluster.' },
});
const rbacOptions = defineOptions({ namespace });
const installOptions = defineOptions({
  namespace,
  image: { type: 'string', required: true, description: 'Image of the controller, whose program is this one.' },
});

/** Commands that print YAML and talk to no cluster. */
export const printCommands = (program: string, definition: AddonDefinition): Record<string, Command> => ({
  render: printing(program, 'render', 'Print what the add-on deploys on a cluster', renderOptions, async (options) => {
    const [addon] = options.addon ? await readObjects(options.addon) : [];
    const configs = (await Promise.all(options.configFile.map(readObjects))).flat();
    return renderOffline(definition, { cluster: await clusterOf(options.cluster), ...(addon && { addon }), configs });
  }),
  rbac: printing(
    program,
    'rbac',
    'Print the rights that the controller needs on the hub',
    rbacOptions,
    async (options) => rbacManifests(definition, options),
  ),
  install: printing(program, 'install', 'Print all objects to apply to a hub', installOptions, async (options) =>
    installManifests(definition, options),
  ),
});

function printing<const D extends OptionDefinitions>(
  program: string,
  name: string,
  description: string,
  options: D,
  make: (values: OptionValues<D>) => Promise<readonly Manifest[]>,
): Command {
  return {
    description,
    async run(host: ProcessHost) {
      try {
        const parsed = parseOptions(options, {
          argv: host.argv,
          env: host.env,
          program: `${program} ${name}`,
          description,
        });
        if (parsed.kind === 'help') host.print(parsed.text);
        if (parsed.kind === 'run')
          host.print(
            (await make(parsed.values))
              .map((object) => stringify(object, { aliasDuplicateObjects: false }))
              .join('---\n'),
          );
        host.exit(exitCodes.ok);
      } catch (error) {
        host.printError(describe(error));
        host.exit(exitCodeOf(error));
      }
    },
  };
}

/** An error of the author's own code has no hint: the line that threw it says more. */
function describe(error: unknown): string {
  if (error instanceof KubeError) return `Error: ${error.message}\n${error.hint}\n`;
  const message = error instanceof Error ? error.message : String(error);
  return `${[`Error: ${message}`, ...authorFrames(error).slice(0, maxFrames)].join('\n')}\n`;
}

const isFile = (text: string): boolean => /[./]/.test(text);

async function clusterOf(text: string): Promise<ManagedCluster> {
  const [cluster] = isFile(text) ? await readObjects(text) : [];
  return { spec: {}, ...cluster, metadata: { name: text, ...cluster?.metadata } };
}

async function readObjects(path: string): Promise<KubeObject[]> {
  const text = await readFile(path, 'utf8').catch((cause: Error) => {
    throw KubeError.from(cause);
  });
  return parseAllDocuments(text).flatMap((document) => {
    const object: unknown = document.toJS();
    if (document.errors[0]) throw new KubeError('Config', `${path}: ${document.errors[0].message.trim()}`);
    return isRecord(object) ? [object] : [];
  });
}
