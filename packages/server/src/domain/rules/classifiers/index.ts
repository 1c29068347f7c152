export {
  type Classification,
  type ClassificationJob,
  classificationQueue,
  type Edit,
  findRemarks,
  hasten,
  insertClassification,
  pendingClassifications,
  postpone,
  recordOutcome,
  takeDecided,
} from './classifications.sql.ts'
export { type ClassifierParts, type Consulted, consultClassifiers } from './classifiers.ts'
