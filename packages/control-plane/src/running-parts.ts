import type { RunningControllers } from './controllers/index.ts';
import type { HttpServer } from './server/http-server.ts';

/** The parts that start after the handlers that report on them. Handlers read them at each request. */
export class RunningParts {
  readonly #host: string;
  /** Set when the server listens; never if it shall not. */
  server?: HttpServer;
  /** Set when the controllers are started. */
  controllers?: RunningControllers;

  constructor(host: string) {
    this.#host = host;
  }

  /** `https://host:port`; empty as long as nothing listens. */
  get serverUrl(): string {
    return this.server ? `https://${this.serverAddress}` : '';
  }

  /** `host:port`. */
  get serverAddress(): string {
    return `${this.#host}:${this.server?.port ?? 0}`;
  }

  /** Why the controllers do not work; undefined when they do. */
  get controllersError(): string | undefined {
    return this.controllers ? this.controllers.error() : 'the controllers are not started yet';
  }
}
