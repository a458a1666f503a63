/** Where a hub is, in the words of a kubeconfig. A driver that needs no kubeconfig fills in what it has. */
export interface HubEndpoint {
  /** What the bootstrap source calls the hub. Another name for the same address says that the hub behind it is another one. */
  readonly name: string;
  /** The address as it is configured: it identifies the hub on the managed cluster. */
  readonly server: string;
  /** Base64 of PEM; absent where the roots of the system are trusted. */
  readonly caData?: string;
  /** A path; kept as it is. */
  readonly caFile?: string;
  readonly proxyUrl?: string;
}
