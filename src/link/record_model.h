/*
 * record_model.h
 *		Logistic regression: how much each feature says about two units being the same thing.
 */
#ifndef NEARDUP_LINK_RECORD_MODEL_H
#define NEARDUP_LINK_RECORD_MODEL_H

/* Labelled examples. */
typedef struct ModelSample
{
	int feature_count;
	Size count;
	Size matches;			 /* these come first */
	float *values;			 /* feature_count for each example */
	double match_weight;	 /* how many candidates an example of a match stands for, */
	double non_match_weight; /* and another one */
} ModelSample;

typedef struct RecordModel
{
	int feature_count;
	double constant;
	double *weights;  /* of each feature */
	double *standard; /* the same by standard deviation of the feature, which can be compared */
} RecordModel;

/*
 * Fits the model by Newton's method: features standardized, a ridge of 1 on the weights, none on the
 * constant. The sample has examples of both labels. Sums are taken in the order of the sample, so that
 * the same sample gives the same model. Allocates in the current memory context.
 */
extern RecordModel RecordModelFit(const ModelSample *sample);

/* Returns the logarithm of the odds that the features are those of a match. */
static inline double
RecordModelScore(const RecordModel *model, const double *values)
{
	double score = model->constant;

	for (int i = 0; i < model->feature_count; i++)
		score += model->weights[i] * values[i];
	return score;
}

#endif
