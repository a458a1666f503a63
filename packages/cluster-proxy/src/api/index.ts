/** How the API is installed: its objects, and the rights of those who serve it. Loads nothing that runs. */
export { clusterProxyApiService, externalService } from './api-service.ts';
export {
  clusterProxyCertificateRules,
  clusterProxyRules,
  clusterProxyTrustRules,
  impersonationRules,
} from './rules.ts';
