import { AppLabelValue, klusterlets, NamespaceName, SecretName } from '@flotilla/api-types';
import { listKlusterlets } from '@flotilla/install';
import { secrets } from '@flotilla/kube/kinds';
import type { Condition } from '@flotilla/schema';
import type { CliContext, GlobalOptions } from '../context.ts';
import { CliError } from '../errors/cli-error.ts';
import { findOperator } from '../operator/live-operator.ts';
import { conditionLines, type OperatorInfo, operatorInfo, operatorLines } from '../operator/operator-info.ts';
import { formatResult, nameOfKind } from '../output/result.ts';
import { formatTable } from '../output/table.ts';

/** The flags of `get klusterlet-info`. */
export interface GetKlusterletInfoOptions {
  readonly output: string;
}

/** What is known of one Klusterlet. */
interface KlusterletInfo {
  readonly name: string;
  readonly clusterName: string;
  readonly mode: string;
  readonly registrationAuth: string;
  readonly namespace: string;
  readonly bootstrapSecret: boolean;
  readonly hubCredentials: boolean;
  readonly conditions: readonly Condition[];
}

/** Prints it. */
export async function getKlusterletInfo(
  context: CliContext,
  options: GetKlusterletInfoOptions & GlobalOptions,
): Promise<void> {
  const { output } = options;
  await using managed = await context.connector.toCluster(options);
  const found = await listKlusterlets(managed.client);
  if (found.length === 0) {
    throw new CliError(
      'precondition',
      'no Klusterlet: this cluster is not joined to a hub',
      `Choose it with --kubeconfig or --context, or join it: \`${context.program} join --help\`.`,
    );
  }
  const infos = await Promise.all(
    found.map(async ({ metadata, spec, status }) => {
      const namespace = spec?.namespace ?? NamespaceName.Agent;
      const has = async (name: string) =>
        (await managed.client.resource(secrets).find(`${namespace}/${name}`)) !== undefined;
      return {
        name: metadata?.name ?? '',
        clusterName: spec?.clusterName ?? '',
        mode: spec?.deployOption?.mode ?? '',
        registrationAuth: spec?.registrationConfiguration?.registrationDriver?.authType ?? 'csr',
        namespace,
        bootstrapSecret: await has(SecretName.BootstrapHubKubeconfig),
        hubCredentials: await has(SecretName.HubKubeconfig),
        conditions: status?.conditions ?? [],
      };
    }),
  );
  const operator = operatorInfo(await findOperator(managed.client, AppLabelValue.Klusterlet));
  context.out.write(
    formatResult(output, {
      text: infoText(infos, operator, output === 'wide'),
      value: infos.map((info) => ({ ...info, operator })),
      names: infos.map(({ name }) => nameOfKind(klusterlets, name)),
    }),
  );
}

/** The conditions of several are in the table; with -o wide each has its own lines too. */
function infoText(infos: readonly KlusterletInfo[], operator: OperatorInfo | null, wide: boolean): string {
  const table = formatTable(
    ['KLUSTERLET', 'CLUSTER', 'MODE', 'AUTH', 'NAMESPACE', 'BOOTSTRAP', 'HAS CREDENTIALS', 'CONDITIONS'],
    infos.map(
      ({ name, clusterName, mode, registrationAuth, namespace, bootstrapSecret, hubCredentials, conditions }) => [
        name,
        clusterName,
        mode,
        registrationAuth,
        namespace,
        yesNo(bootstrapSecret),
        yesNo(hubCredentials),
        conditions.map(({ type, status }) => `${type}=${status}`).join(','),
      ],
    ),
  );
  const [only] = infos.length === 1 ? infos : [];
  const lines = operatorLines(operator, only?.conditions ?? []);
  const each =
    only || !wide ? [] : infos.flatMap(({ name, conditions }) => [`\n${name}:\n`, ...conditionLines(conditions)]);
  return [...lines, table, ...each].join('');
}

const yesNo = (value: boolean): string => (value ? 'yes' : 'no');
