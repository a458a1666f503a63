import type { AccessSource } from '../credentials/access.ts';
import { KubeError } from '../errors/kube-error.ts';
import { requestUpgrade, type UpgradeOptions, type UpgradeRequest, type UpgradeResponse } from './upgrade.ts';

/** Switches protocols with the newest credentials. What it opened ends when it is closed. */
export class Upgrader {
  readonly #access: AccessSource;
  readonly #options: UpgradeOptions;
  readonly #closing = new AbortController();

  constructor(access: AccessSource, options: UpgradeOptions) {
    this.#access = access;
    this.#options = options;
  }

  /** After a 401 it asks once more, with what the source has then. */
  async upgrade(request: UpgradeRequest): Promise<UpgradeResponse> {
    const signal = request.signal ? AbortSignal.any([request.signal, this.#closing.signal]) : this.#closing.signal;
    const ask = async () => requestUpgrade(await this.#access.current(), this.#options, { ...request, signal });
    const first = await ask();
    if (first.switched || first.status !== 401) return first;
    first.body.destroy();
    this.#access.invalidate();
    return ask();
  }

  close(): void {
    this.#closing.abort(new KubeError('Canceled', 'the client was closed'));
  }
}
