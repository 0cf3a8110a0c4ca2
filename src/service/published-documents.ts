/** The documents that the service publishes. They are large, and few readers ask for them. */
export { default as monitoringSchema } from '../../docs/monitoring.schema.json';
export { default as openApiDocument } from '../../docs/openapi.json';
