import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect } from 'node:net';
import type { Container, HTTPGetAction, Probe } from '@flotilla/kube/kinds';
import type { ContainerProcess, ProcessHost } from '../processes/container-process.ts';
import { runInContainer } from '../processes/run-command.ts';

/** What a probe is sent to. */
export interface ProbeTarget {
  readonly podIP: string;
  readonly container: Container;
  readonly process: ContainerProcess;
  readonly host: ProcessHost;
}

/** Undefined if the container answered well, otherwise what was wrong. */
export type ProbeFailure = string | undefined;

/** Asks a container once; the signal is the time-out. */
export async function runProbe(probe: Probe, target: ProbeTarget, signal: AbortSignal): Promise<ProbeFailure> {
  try {
    if (probe.exec) return await execProbe(probe.exec.command ?? [], target, signal);
    if (probe.httpGet) return await httpProbe(probe.httpGet, target, signal);
    if (probe.tcpSocket) {
      const { host = target.podIP, port } = probe.tcpSocket;
      return await tcpProbe(host, portOf(port, target.container), signal);
    }
    return 'the process node has probes of the kinds exec, httpGet and tcpSocket only';
  } catch (error) {
    if (signal.aborted) return `no answer within ${probe.timeoutSeconds ?? 1}s`;
    return error instanceof Error ? error.message : String(error);
  }
}

/** A number, or the name of a port of the container. */
function portOf(port: unknown, { name, ports = [] }: Container): number {
  if (typeof port === 'number') return port;
  const found = ports.find((candidate) => candidate.name === port)?.containerPort ?? Number(port);
  if (Number.isInteger(found) && found > 0) return found;
  throw new Error(`container "${name}" has no port "${port}"`);
}

async function execProbe(command: readonly string[], target: ProbeTarget, signal: AbortSignal): Promise<ProbeFailure> {
  const { exitCode, output } = await runInContainer(target.host, target.process, command, signal);
  signal.throwIfAborted();
  return exitCode === 0 ? undefined : output.trim() || `the command ended with ${exitCode}`;
}

async function httpProbe(get: HTTPGetAction, target: ProbeTarget, signal: AbortSignal): Promise<ProbeFailure> {
  const { host = target.podIP, path = '/', scheme = 'HTTP', httpHeaders = [] } = get;
  const port = portOf(get.port, target.container);
  const headers = Object.fromEntries(httpHeaders.map(({ name, value }) => [name, value]));
  const options = {
    host,
    port,
    path,
    signal,
    headers: { 'user-agent': 'kube-probe/1.36', ...headers },
    agent: false as const,
  };
  // A kubelet does not verify the certificate of a probe either: it sends no secret, and asks only whether there is an answer.
  const request = scheme === 'HTTPS' ? httpsRequest({ ...options, rejectUnauthorized: false }) : httpRequest(options);
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve);
    request.once('error', reject);
    request.end();
  });
  response.destroy();
  const { statusCode = 0 } = response;
  return statusCode >= 200 && statusCode < 400 ? undefined : `HTTP probe failed with statuscode: ${statusCode}`;
}

const tcpProbe = (host: string, port: number, signal: AbortSignal): Promise<ProbeFailure> =>
  new Promise((resolve) => {
    const socket = connect({ host, port, signal });
    socket.once('connect', () => {
      socket.destroy();
      resolve(undefined);
    });
    socket.once('error', ({ message }) => resolve(message));
  });
