/** A service that answers webhooks; the port is 443 unless it says otherwise. */
export interface ServiceReference {
  readonly namespace: string;
  readonly name: string;
  readonly path?: string;
  readonly port?: number;
}

/** Finds the address of a service: `https://127.0.0.1:9443`. There is no cluster network to find it in. */
export type ServiceResolver = (service: ServiceReference) => string | undefined;

/** Where a webhook listens, as configurations and definitions say it. */
export interface ClientConfig {
  readonly url?: string;
  readonly service?: ServiceReference;
  /** PEM in base64; the machine's roots if unset. */
  readonly caBundle?: string;
}

/** Sends reviews to webhooks over connections that stay open. */
export interface WebhookCaller {
  /** The decoded answer; throws an error whose message names the URL and what went wrong. */
  call(client: ClientConfig, review: object, timeoutSeconds: number): Promise<unknown>;
  close(): void;
}
