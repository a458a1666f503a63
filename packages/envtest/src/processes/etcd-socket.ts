/**
 * etcd and the API server talk over Unix sockets in the cluster's private directory: no port to race for, and no other user
 * of the machine can read Secrets out of etcd. etcd wants `host:port` even there; the result is a file of that name in the
 * working directory, which all components share.
 */
export const etcdSocket = 'localhost:2379';
export const etcdPeerSocket = 'localhost:2380';
