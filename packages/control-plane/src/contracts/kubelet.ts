/** The user as whom this server asks kubelets. */
export const kubeletClientUser = 'kube-apiserver-kubelet-client';

/** Where the kubelet of a node listens. */
export interface KubeletAddress {
  readonly host: string;
  readonly port: number;
}

/** What a kubelet answered; `chunks` is the body as it comes. */
export interface KubeletAnswer {
  readonly status: number;
  readonly chunks: AsyncIterable<string>;
}

/** Asks kubelets, with the identity of the API server; throws what went wrong with the connection. */
export interface KubeletClient {
  get(address: KubeletAddress, path: string, query: URLSearchParams, signal: AbortSignal): Promise<KubeletAnswer>;
}
