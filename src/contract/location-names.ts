/** Names of the public locations, for people who do not know their codes. */
import type { Location } from './enumerations.ts';

/** Regions by the first part of their location codes. */
const REGIONS: Readonly<Record<string, string>> = {
  us: 'North America',
  ca: 'North America',
  sa: 'South America',
  eu: 'Europe',
  me: 'Middle East',
  ap: 'Asia Pacific',
  af: 'Africa',
};

const CITIES: Readonly<Record<Location, string>> = {
  'us-east-1': 'N. Virginia',
  'us-east-2': 'Ohio',
  'us-west-1': 'N. California',
  'us-west-2': 'Oregon',
  'ca-central-1': 'Montreal',
  'sa-east-1': 'São Paulo',
  'eu-west-1': 'Ireland',
  'eu-central-1': 'Frankfurt',
  'eu-west-2': 'London',
  'eu-west-3': 'Paris',
  'eu-north-1': 'Stockholm',
  'eu-south-1': 'Milan',
  'me-south-1': 'Bahrain',
  'ap-southeast-1': 'Singapore',
  'ap-northeast-1': 'Tokyo',
  'ap-east-1': 'Hong Kong',
  'ap-southeast-2': 'Sydney',
  'ap-southeast-3': 'Jakarta',
  'ap-northeast-2': 'Seoul',
  'ap-northeast-3': 'Osaka',
  'ap-south-1': 'Mumbai',
  'af-south-1': 'Cape Town',
};

/** Returns the city or state of a public location; undefined for any other text. */
export const cityOf = (word: string): string | undefined =>
  Object.hasOwn(CITIES, word) ? CITIES[word as Location] : undefined;

/** Returns the region of a location, as a heading. */
export const regionOf = (location: string): string => REGIONS[location.split('-')[0] ?? ''] ?? 'Other';
