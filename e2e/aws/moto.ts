import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { findFreePort } from '@flotilla/envtest';
import { ensurePythonPackages } from './python-packages.ts';

/** IAM and STS that are not Amazon's (https://docs.getmoto.org), and what its server needs for these two services. */
const requirements = ['moto==5.2.5', 'flask==3.1.3', 'flask-cors==6.0.5'];

/** Installs moto, once. */
export const ensureMoto = (): Promise<string> => ensurePythonPackages('moto', requirements);

/** A server of moto. */
export interface Moto extends AsyncDisposable {
  readonly port: number;
}

/** Starts moto with no data in it. */
export async function startMoto(): Promise<Moto> {
  const directory = await ensureMoto();
  const port = await findFreePort();
  const child = spawn('python3', ['-m', 'moto.server', '-H', '127.0.0.1', '-p', `${port}`], {
    env: { PATH: process.env.PATH, PYTHONPATH: directory },
    stdio: 'ignore',
  });
  const exited = once(child, 'exit');
  const isReady = () =>
    fetch(`http://127.0.0.1:${port}/moto-api/`).then(
      ({ ok }) => ok,
      () => false,
    );
  for (let tries = 0; !(await isReady()); tries += 1) {
    if (tries > 600 || child.exitCode !== null) throw new Error('moto did not start');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return {
    port,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
