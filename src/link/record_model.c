/*
 * record_model.c
 *		Fitting a logistic regression by Newton's method.
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"

#include "allocate.h"
#include "link/record_model.h"

/* Adds to each coefficient's own square in what is minimized; the constant has none. */
#define RIDGE 1.0

#define MOST_STEPS 12

/* No further step if no coefficient moved by more. */
#define LEAST_MOVE 0.0001

/* Beyond it, the odds of a match are taken for certain. */
#define MOST_SCORE 30.0

/* Coefficients, the constant first, gradient and Hessian; the latter has `size` numbers a row. */
typedef struct Fit
{
	const ModelSample *sample;
	int size;
	double *means;
	double *deviations;
	double *coefficients;
	double *gradient;
	double *hessian;
	double *example; /* a 1 and the standardized features */
} Fit;

static double *
allocate_zeros(Size count)
{
	double *zeros = AllocateArray(count, sizeof(double));

	memset(zeros, 0, count * sizeof(double));
	return zeros;
}

static void
find_moments(Fit *fit)
{
	const ModelSample *sample = fit->sample;
	int count = sample->feature_count;

	for (Size i = 0; i < sample->count; i++)
	{
		for (int j = 0; j < count; j++)
			fit->means[j] += sample->values[i * count + j];
	}
	for (int j = 0; j < count; j++)
		fit->means[j] /= (double) sample->count;
	for (Size i = 0; i < sample->count; i++)
	{
		for (int j = 0; j < count; j++)
		{
			double distance = sample->values[i * count + j] - fit->means[j];

			fit->deviations[j] += distance * distance;
		}
	}
	for (int j = 0; j < count; j++)
	{
		fit->deviations[j] = sqrt(fit->deviations[j] / (double) sample->count);
		if (fit->deviations[j] == 0)
			fit->deviations[j] = 1;
	}
}

/* Adds an example to the gradient and to the lower half of the Hessian. */
static void
add_example(Fit *fit, Size number, double weight)
{
	const ModelSample *sample = fit->sample;
	double is_match = number < sample->matches;
	double *example = fit->example;
	double score = fit->coefficients[0];
	double probability;
	double curvature;

	for (int j = 1; j < fit->size; j++)
	{
		example[j] = (sample->values[number * sample->feature_count + j - 1] - fit->means[j - 1]) /
					 fit->deviations[j - 1];
		score += example[j] * fit->coefficients[j];
	}
	score = Min(Max(score, -MOST_SCORE), MOST_SCORE);
	probability = 1 / (1 + exp(-score));
	curvature = weight * probability * (1 - probability);
	for (int j = 0; j < fit->size; j++)
	{
		double *row = fit->hessian + (Size) j * fit->size;
		double scaled = curvature * example[j];

		fit->gradient[j] += weight * (is_match - probability) * example[j];
		for (int k = 0; k <= j; k++)
			row[k] += scaled * example[k];
	}
}

/* Solves hessian * x = gradient by Cholesky's decomposition, x in place of the gradient. */
static bool
solve(Fit *fit)
{
	int size = fit->size;
	double *x = fit->gradient;

	for (int j = 0; j < size; j++)
	{
		double *row = fit->hessian + (Size) j * size;

		CHECK_FOR_INTERRUPTS();
		for (int k = 0; k <= j; k++)
		{
			const double *other = fit->hessian + (Size) k * size;
			double sum = row[k];

			for (int i = 0; i < k; i++)
				sum -= row[i] * other[i];
			if (k == j && sum <= 0)
				return false;
			row[k] = k == j ? sqrt(sum) : sum / other[k];
		}
	}
	for (int j = 0; j < size; j++)
	{
		const double *row = fit->hessian + (Size) j * size;

		for (int i = 0; i < j; i++)
			x[j] -= row[i] * x[i];
		x[j] /= row[j];
	}
	for (int j = size - 1; j >= 0; j--)
	{
		for (int i = j + 1; i < size; i++)
			x[j] -= fit->hessian[(Size) i * size + j] * x[i];
		x[j] /= fit->hessian[(Size) j * size + j];
	}
	return true;
}

/* Takes a step; returns how far the coefficient moved that moved most. */
static double
take_step(Fit *fit)
{
	const ModelSample *sample = fit->sample;
	double all = sample->match_weight * (double) sample->matches +
				 sample->non_match_weight * (double) (sample->count - sample->matches);
	double scale = (double) sample->count / all;
	double most = 0;

	memset(fit->gradient, 0, fit->size * sizeof(double));
	memset(fit->hessian, 0, (Size) fit->size * fit->size * sizeof(double));
	for (Size i = 0; i < sample->count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		add_example(fit, i,
					scale *
						(i < sample->matches ? sample->match_weight : sample->non_match_weight));
	}
	for (int j = 1; j < fit->size; j++)
	{
		fit->gradient[j] -= RIDGE * fit->coefficients[j];
		fit->hessian[(Size) j * fit->size + j] += RIDGE;
	}
	if (!solve(fit))
		return 0;
	for (int j = 0; j < fit->size; j++)
	{
		fit->coefficients[j] += fit->gradient[j];
		most = Max(most, fabs(fit->gradient[j]));
	}
	return most;
}

static Fit
begin_fit(const ModelSample *sample)
{
	int size = sample->feature_count + 1;
	Fit fit = {.sample = sample,
			   .size = size,
			   .means = allocate_zeros(size),
			   .deviations = allocate_zeros(size),
			   .coefficients = allocate_zeros(size),
			   .gradient = allocate_zeros(size),
			   .hessian = allocate_zeros((Size) size * size),
			   .example = allocate_zeros(size)};

	fit.example[0] = 1;
	return fit;
}

static void
end_fit(Fit *fit)
{
	pfree(fit->means);
	pfree(fit->deviations);
	pfree(fit->coefficients);
	pfree(fit->gradient);
	pfree(fit->hessian);
	pfree(fit->example);
}

RecordModel
RecordModelFit(const ModelSample *sample)
{
	Fit fit = begin_fit(sample);
	RecordModel model = {.feature_count = sample->feature_count,
						 .weights = allocate_zeros(fit.size),
						 .standard = allocate_zeros(fit.size)};
	int steps = 0;

	find_moments(&fit);
	while (take_step(&fit) >= LEAST_MOVE && ++steps < MOST_STEPS)
		;
	model.constant = fit.coefficients[0];
	for (int j = 0; j < model.feature_count; j++)
	{
		model.standard[j] = fit.coefficients[j + 1];
		model.weights[j] = model.standard[j] / fit.deviations[j];
		model.constant -= model.weights[j] * fit.means[j];
	}
	end_fit(&fit);
	return model;
}
