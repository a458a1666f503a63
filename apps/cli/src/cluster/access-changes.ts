import type { KubeObject } from '@flotilla/schema';
import { pinsOf } from '../hub-access/ca-pin.ts';
import { readReach } from '../hub-access/earlier-reach.ts';
import type { Change } from './changes.ts';

/** Fields of a Secret that are no credentials: they may be shown, and a change of them is a question. */
const kubeconfigField = 'kubeconfig.';
const grpcField = 'config.yaml.';

/** Whether an agent with this Secret would reach another hub, or the same one another way. */
export const leadsElsewhere = ({ field }: Change): boolean =>
  field.startsWith(kubeconfigField) || field.startsWith(grpcField);

/** How the kubeconfig and the gRPC configuration of a Secret lead elsewhere. */
export function accessChanges(before: KubeObject, after: KubeObject): Change[] {
  const from = shownAccess(before);
  const to = shownAccess(after);
  return Object.keys({ ...from, ...to })
    .map((field) => ({ field, from: from[field], to: to[field] }))
    .filter((change) => change.from !== change.to);
}

function shownAccess(secret: KubeObject & { data?: Readonly<Record<string, string>> }): Record<string, string> {
  const { hub, grpc } = readReach(secret.data);
  const entries = {
    [`${kubeconfigField}server`]: hub?.server,
    [`${kubeconfigField}proxy-url`]: hub?.proxyUrl && withoutPassword(hub.proxyUrl),
    [`${kubeconfigField}certificate-authority`]: hub?.ca && pins(hub.ca),
    [`${grpcField}url`]: grpc?.url,
    [`${grpcField}caData`]: grpc?.ca && pins(grpc.ca),
  };
  return Object.fromEntries(Object.entries(entries).flatMap(([field, value]) => (value ? [[field, value]] : [])));
}

function withoutPassword(address: string): string {
  const url = URL.parse(address);
  if (!url) return address;
  const { username, password, protocol, host } = url;
  return username === '' && password === '' ? address : `${protocol}//<redacted>@${host}`;
}

function pins(ca: string): string {
  try {
    return pinsOf(ca).sort().join(', ');
  } catch {
    return 'not a certificate';
  }
}
