import type { Agent } from 'node:http';
import { join } from 'node:path';
import { EnvtestError } from '../errors.ts';
import { etcdSocket } from './etcd-socket.ts';
import { probeSocket } from './probe.ts';

/** The parts of etcd's answers that are read here; keys and values are base64. */
export interface EtcdAnswer {
  readonly header: { readonly revision: string };
  readonly kvs?: readonly { readonly key: string; readonly value: string }[];
}

/** Calls the JSON gateway of the etcd in a cluster's directory. */
export async function callEtcd(directory: string, path: string, body: object, agent?: Agent): Promise<EtcdAnswer> {
  const answer = await probeSocket(join(directory, etcdSocket), path, { body, ...(agent && { agent }) });
  if (answer.status !== 200) {
    throw new EnvtestError('CommandFailed', `etcd answered ${path} with ${answer.status}: ${answer.body.trim()}`);
  }
  return JSON.parse(answer.body);
}
