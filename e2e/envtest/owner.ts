// Starts a cluster, says where and with which processes, and waits for the worst.
import { startCluster } from '@flotilla/envtest';

const cluster = await startCluster();
const { directory, etcd, apiServer, controllerManager } = cluster;
// A stopped process must not survive either.
apiServer.pause();
console.log(JSON.stringify({ directory, pids: [etcd.pid, apiServer.pid, controllerManager.pid] }));
