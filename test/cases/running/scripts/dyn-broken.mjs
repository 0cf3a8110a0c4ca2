export const price = await Promise.reject(new Error('no price'));
